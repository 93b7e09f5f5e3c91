"""Traces made for a test: a page that loads in 200 ms, and what is added to it."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["FRAME", "NAVIGATION", "URL", "MadeTrace", "rich_trace"]

FRAME = "F" * 32
NAVIGATION = "A" * 32
URL = "http://made.test/"
#: Chrome's clock when the recording begins, and when the navigation does. Microseconds.
BEGIN, START = 1_000_000, 1_010_000


class MadeTrace:
    """A page in process 10, its browser in process 1; times are milliseconds after the navigation began."""

    def __init__(self, *, charset: str = "text/html; charset=utf-8") -> None:
        self.events: list[dict[str, Any]] = []
        frame = {
            "frame": FRAME,
            "isInPrimaryMainFrame": True,
            "isOutermostMainFrame": True,
            "processId": 10,
            "url": URL,
        }
        self.add("thread_name", ph="M", ts=0, args={"name": "CrRendererMain"})
        self.add("TracingStartedInBrowser", at=-10, pid=1, args={"data": {"frames": [frame]}})
        data = {"navigationId": NAVIGATION, "documentLoaderURL": URL}
        self.add("navigationStart", at=0, ph="R", args={"frame": FRAME, "data": data})
        self.add("CommitLoad", at=60, dur=1, args={"data": {"frame": FRAME, "url": URL}})
        self.request(NAVIGATION, URL, 1, 50, type="Document", priority="VeryHigh", content_type=charset)
        paint = {
            "frame": FRAME,
            "data": {"navigationId": NAVIGATION, "candidateIndex": 1, "nodeId": 7, "nodeName": "P"},
        }
        for name in ("firstPaint", "firstContentfulPaint", "largestContentfulPaint::Candidate"):
            self.add(name, at=200, ph="R", args=paint)
        self.add("RunTask", at=3000, dur=1)

    def add(self, name: str, *, at: float = 0, dur: float = 0, ph: str = "", args: Any = None, **more: Any) -> None:
        event = {"args": args or {}, "name": name, "ph": ph or ("X" if dur else "I"), "pid": 10, "tid": 10}
        event["ts"] = START + round(at * 1000)
        if dur:
            event["dur"] = round(dur * 1000)
        self.events.append({**event, **more})

    def request(
        self,
        id_: str,
        url: str,
        at: float,
        took: float,
        *,
        type: str = "Script",
        priority: str = "High",
        blocking: str = "non_blocking",
        content_type: str = "text/plain",
        size: int = 1_000,
        **headers: str,
    ) -> None:
        """A request that is answered when half of its time has passed."""
        base = (START + at * 1000) / 1e6
        self.add("ResourceWillSendRequest", at=at, args={"data": {"requestId": id_}})
        sent = {"requestId": id_, "url": url, "frame": FRAME, "priority": priority, "resourceType": type}
        if blocking:
            sent["renderBlocking"] = blocking
        if type != "Document":
            sent["initiator"] = {"type": "parser", "url": URL}  # type: ignore[assignment]
        self.add("ResourceSendRequest", at=at, args={"data": sent})
        timing = {"requestTime": base, "sendStart": 0, "sendEnd": 0.1, "receiveHeadersEnd": took / 2}
        given = [{"name": "Content-Type", "value": content_type}]
        given += [{"name": name.replace("_", "-"), "value": value} for name, value in headers.items()]
        answer = {"requestId": id_, "statusCode": 200, "mimeType": content_type.split(";")[0], "protocol": "h2"}
        self.add(
            "ResourceReceiveResponse", at=at + took / 2, args={"data": {**answer, "timing": timing, "headers": given}}
        )
        done = {
            "requestId": id_,
            "finishTime": base + took / 1000,
            "encodedDataLength": size,
            "decodedBodyLength": size,
        }
        self.add("ResourceFinish", at=at + took, args={"data": done})

    def text(self, *, form: str = "chrome") -> bytes:
        """The file: as Chrome writes it, as DevTools saves it, as an array, or indented."""
        lines = ",\n".join(json.dumps(event, separators=(",", ":"), sort_keys=True) for event in self.events)
        if form == "chrome":
            return f'{{"traceEvents":[\n{lines}],"metadata":\n{{"a": [{{}},\n{{}}]}}}}'.encode()
        if form == "devtools":
            return f'{{"metadata": {{"source": "DevTools"}},\n"traceEvents": [\n{lines}\n]}}\n'.encode()
        if form == "array":
            return f"[{lines}]".encode()
        return json.dumps({"traceEvents": self.events}, indent=2 if form == "indented" else 0).encode()


def rich_trace() -> MadeTrace:
    """A trace with an event of nearly every kind that is read."""
    made = MadeTrace(charset="text/html")
    made.request("10.2", URL + "a.css", 60, 100, type="Stylesheet", priority="VeryHigh", blocking="blocking")
    made.request("10.3", URL + "a.js", 61, 40, Cache_Control="max-age=60")
    made.request("10.4", URL + "a.png", 62, 120, type="Image", content_type="image/png", size=300_000)
    made.request("10.5", "http://other.test/a.woff2", 70, 100, type="Font", content_type="font/woff2")
    made.request("10.6", URL + "frame.html", 90, 30, type="Document", content_type="text/html")
    made.add("ResourceChangePriority", at=63, args={"data": {"requestId": "10.4", "priority": "High"}})
    made.add("ResourceMarkAsCached", at=64, args={"data": {"requestId": "10.3"}})
    status = {"requestId": "10.3", "renderBlocking": "in_body_parser_blocking"}
    made.add("PreloadRenderBlockingStatusChange", at=65, args={"data": status})
    made.add("BeginRemoteFontLoad", at=71, args={"id": 5, "display": "auto", "url": "http://other.test/a.woff2"})
    image = {"imageUrl": URL + "a.png", "DOMNodeId": 7}
    made.add("LargestImagePaint::Candidate", at=199, args={"data": image})
    painted = {"url": URL + "a.png", "nodeId": 8, "width": 20, "height": 20, "srcWidth": 400, "srcHeight": 400}
    made.add("PaintImage", at=310, dur=1, args={"data": {**painted, "nodeName": "IMG"}})
    made.add("LayoutImageUnsized", at=300, args={"data": {"nodeId": 8}})
    made.add("PrePaint", at=305, dur=3, args={"frame": FRAME})
    nodes = [{"node_id": 9, "debug_name": "P"}]
    shift = {"weighted_score_delta": 0.3, "score": 0.3, "impacted_nodes": nodes}
    made.add("LayoutShift", at=306, args={"frame": FRAME, "data": shift})
    made.add("Animation", at=280, ph="b", id="0x1", args={"data": {"displayName": "move", "nodeId": 4}})
    failed = {"compositeFailed": 8, "unsupportedProperties": ["top"]}
    made.add("Animation", at=281, ph="n", id="0x1", args={"data": failed})
    made.add("Animation", at=300, ph="e", id="0x1")
    made.add("MetaCharsetCheck", at=66, args={"data": {"frame": FRAME, "disposition": "not-found"}})
    made.add("ParseMetaViewport", at=67, args={"data": {"frame": FRAME, "content": "width=500"}})
    made.add("BeginCommitCompositorFrame", at=220, args={"frame": FRAME, "is_mobile_optimized": False})
    made.add("PaintTimingVisualizer::Viewport", at=221, args={"data": {"dpr": 2}})
    made.add("DOMStats", at=222, args={"data": {"frame": FRAME, "totalElements": 900, "maxDepth": {"depth": 9}}})
    made.add("LinkPreconnect", at=68, args={"data": {"frame": FRAME, "url": "http://third.test/"}})
    script = {"isolate": "1", "scriptId": 3, "url": URL + "a.js"}
    made.add("ScriptCatchup", at=230, args={"data": {**script, "sourceText": "Array.prototype.at = f;" + " " * 6_000}})
    timing = {"selector": "p > *", "style_sheet_id": "1", "elapsed (us)": 900, "match_attempts": 9, "match_count": 1}
    made.add("SelectorStats", at=240, args={"selector_stats": {"selector_timings": [timing]}})
    made.add("RunTask", at=400, dur=200)
    made.add(
        "FunctionCall", at=401, dur=190, args={"data": {"functionName": "f", "url": URL + "a.js", "lineNumber": 3}}
    )
    made.add("Layout", at=450, dur=60, args={"beginData": {"dirtyObjects": 500, "totalObjects": 600}})
    made.add("UpdateLayoutTree", at=520, dur=50, args={"elementCount": 800})
    made.add("v8.run", at=402, ph="B")
    made.add("v8.run", at=440, ph="E")
    event = {"type": "click", "interactionId": 5, "duration": 300, "timeStamp": 100, "processingStart": 110}
    made.add("EventTiming", at=395, ph="b", id="0x2", args={"data": {**event, "processingEnd": 390, "nodeId": 7}})
    made.add("EventTiming", at=695, ph="e", id="0x2")
    frames = [
        {"id": 1, "callFrame": {"functionName": "(root)"}},
        {"id": 2, "callFrame": {"functionName": "f", "url": URL + "a.js", "lineNumber": 3}, "parent": 1},
        {"id": 3, "callFrame": {"functionName": "g", "url": URL + "a.js", "lineNumber": 9}, "parent": 2},
    ]
    made.add("Profile", at=400, ph="P", id="0x9", args={"data": {"startTime": 0}})
    profile = {"cpuProfile": {"nodes": frames, "samples": [2, 3, 2, 1]}, "timeDeltas": [2_000, 60_000, 90_000, 40_000]}
    made.add("ProfileChunk", at=600, ph="P", id="0x9", args={"data": profile})
    made.add("Screenshot", at=300, pid=1, args={"snapshot": "/9j/4AAQ"})
    return made
