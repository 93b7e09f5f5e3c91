"""Performance traces: read, measured and explained, with the answers of Chrome DevTools and a fraction of the work.

::

    from pagelens.analysis.trace import Trace

    trace = Trace.load("trace.json.gz")
    for load in trace.navigations:
        print(load.url, load.lcp_ms, [name for name, found in load.insights.items() if found.state == "fail"])

No browser is needed, and no address leaves the machine.
"""

from pagelens.analysis.trace.calls import Behind, CallNode, Calls, Label, Span, UrlTime
from pagelens.analysis.trace.insights import Insight, State
from pagelens.analysis.trace.interactions import Interaction
from pagelens.analysis.trace.network import Request
from pagelens.analysis.trace.paints import Lcp
from pagelens.analysis.trace.profile import FunctionTime
from pagelens.analysis.trace.shifts import Window
from pagelens.analysis.trace.tasks import Activity, Task
from pagelens.analysis.trace.trace import NO_NAVIGATION, PageLoad, ThreadWork, Trace

__all__ = [
    "NO_NAVIGATION",
    "Activity",
    "Behind",
    "CallNode",
    "Calls",
    "FunctionTime",
    "Insight",
    "Interaction",
    "Label",
    "Lcp",
    "PageLoad",
    "Request",
    "Span",
    "State",
    "Task",
    "ThreadWork",
    "Trace",
    "UrlTime",
    "Window",
]
