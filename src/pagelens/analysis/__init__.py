"""Files in, findings out, without a browser.

Heap snapshots (`pagelens.analysis.heap`), performance traces (`pagelens.analysis.trace`), source maps.
"""
