"""Files in, findings out: heap snapshots (`pagelens.analysis.heap`). No browser is needed."""
