"""Files in, findings out: heap snapshots (`pagelens.analysis.heap`), performance traces (`pagelens.analysis.trace`). No browser is needed."""
