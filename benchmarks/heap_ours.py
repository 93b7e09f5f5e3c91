"""Loads heap snapshots with `pagelens.analysis.heap` and says what that took; the counterpart of heap_peer.mjs."""

from __future__ import annotations

import json
import resource
import sys
import time

from pagelens.analysis.heap import HeapSnapshot


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
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    print(json.dumps({"cpu": time.process_time() - before, "memory": memory, "total": total}))


if __name__ == "__main__":
    main(sys.argv[1:])
