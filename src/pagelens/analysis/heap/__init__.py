"""Heap snapshots: read, measured and compared, with the answers of Chrome DevTools and less of everything else.

::

    from pagelens.analysis.heap import HeapSnapshot

    snapshot = HeapSnapshot.load("leak.heapsnapshot")
    for row in snapshot.classes()[:10]:
        print(row.name, row.count, row.retained_size)

Small files are read with plain Python; large ones need ``pip install 'pagelens[heap]'`` (numpy and numba, which are
imported only then).
"""

from pagelens.analysis.heap.classes import ClassRow
from pagelens.analysis.heap.compare import ClassDiff
from pagelens.analysis.heap.contexts import ContextAnalysis, ContextReport, DeadField, ScopeReport
from pagelens.analysis.heap.duplicates import DuplicateString
from pagelens.analysis.heap.filters import FILTERS, FilterName
from pagelens.analysis.heap.snapshot import HeapDiff, HeapSnapshot
from pagelens.analysis.heap.statistics import ContextSizes, NativeContext, RetainedByContexts, Statistics
from pagelens.analysis.heap.store import SnapshotStore
from pagelens.analysis.heap.views import HeapEdge, HeapNode, PathStep
from pagelens.analysis.progress import Progress, Statement

__all__ = [
    "FILTERS",
    "ClassDiff",
    "ClassRow",
    "ContextAnalysis",
    "ContextReport",
    "ContextSizes",
    "DeadField",
    "DuplicateString",
    "FilterName",
    "HeapDiff",
    "HeapEdge",
    "HeapNode",
    "HeapSnapshot",
    "NativeContext",
    "PathStep",
    "Progress",
    "RetainedByContexts",
    "ScopeReport",
    "SnapshotStore",
    "Statement",
    "Statistics",
]
