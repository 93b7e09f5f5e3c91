"""Traces made for a test: a page that loads in 200 ms, and what is added to it."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["FRAME", "NAVIGATION", "URL", "MadeTrace"]

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
