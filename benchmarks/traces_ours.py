"""Analyses a trace with `pagelens.analysis.trace` and says what that took; the counterpart of traces_peer.mjs.

All that there is to ask is asked: metrics and insights, and the call trees of all threads, with functions in them.
"""

from __future__ import annotations

import json
import sys
import time

from pagelens.analysis.progress import peak_memory
from pagelens.analysis.trace import Trace


def main(file: str) -> None:
    """One file; all of the process counts, its start included."""
    trace = Trace.load(file)
    trace.threads()
    loads = []
    for load in trace.navigations:
        load.activities()
        load.functions()
        load.scripts()
        load.call_tree()
        for task in load.long_tasks:
            load.behind(task.ts, task.end)
        loads.append([load.lcp_ms, load.cls, load.inp_ms])
    print(json.dumps({"cpu": time.process_time(), "memory": peak_memory(), "loads": loads}))


if __name__ == "__main__":
    main(sys.argv[1])
