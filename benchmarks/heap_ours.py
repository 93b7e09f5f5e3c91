"""Loads heap snapshots with `pagelens.analysis.heap` and says what that took; the counterpart of heap_peer.mjs."""

from __future__ import annotations

import json
import sys
import time

from pagelens.analysis.heap import HeapSnapshot
from pagelens.analysis.progress import peak_memory


def main(files: list[str]) -> None:
    """All files but the last only warm it up."""
    if len(files) > 1:
        from pagelens.analysis.heap import jit

        jit.warm()
    before = 0.0
    for number, file in enumerate(files):
        if number == len(files) - 1 and len(files) > 1:
            before = time.process_time()
        snapshot = HeapSnapshot.load(file)
        total = snapshot.statistics().total
        snapshot.classes()
    print(json.dumps({"cpu": time.process_time() - before, "memory": peak_memory(), "total": total}))


if __name__ == "__main__":
    main(sys.argv[1:])
