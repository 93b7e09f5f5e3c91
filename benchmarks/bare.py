"""The floor: the bare CDP calls of each operation, blocking, over Chrome's pipe, without MCP, checks or settling.

A correct server must spend something on top of this. A click here is scroll, quads and three mouse events; a snapshot
is Chrome's whole accessibility tree, decoded and unformatted; a fill is focus, select and insertText.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from benchmarks.servers import HEIGHT, SWITCHES, WIDTH

__all__ = ["BareChrome"]

_FLAGS = (
    "--headless",
    "--no-first-run",
    "--no-default-browser-check",
    "--password-store=basic",
    "--use-mock-keychain",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    f"--window-size={WIDTH},{HEIGHT}",
    "--remote-debugging-pipe",
)
_SET_VALUE = """function(value) {
  if (this.tagName === 'SELECT') {
    for (const option of this.options) if (option.text === value) this.value = option.value;
  } else if (this.type === 'checkbox') this.checked = value === 'true';
  else this.value = value;
  this.dispatchEvent(new Event('input', {bubbles: true}));
  this.dispatchEvent(new Event('change', {bubbles: true}));
}"""
_SELECT = "document.activeElement.select && document.activeElement.select()"
_WAIT = """new Promise(done => {
  const found = () => document.body.innerText.includes(TEXT);
  if (found()) return done(1);
  const observer = new MutationObserver(() => { if (found()) { observer.disconnect(); done(1); } });
  observer.observe(document.body, {subtree: true, childList: true, characterData: true});
})"""

Message = dict[str, Any]


class _Pipe:
    """Chrome, and messages to it over its pipe, one thread, no waiting loop but our own."""

    def __init__(self, browser: str, *, no_sandbox: bool, switches: Sequence[str] = ()) -> None:
        self._profile = tempfile.mkdtemp(prefix="pagelens-bare-")
        flags = [*_FLAGS, *SWITCHES, *switches, f"--user-data-dir={self._profile}"]
        if no_sandbox:
            flags.append("--no-sandbox")
        read_here, write_there = os.pipe()
        read_there, write_here = os.pipe()
        # Chrome reads from descriptor 3 and writes to 4; a shell moves them there without a hook in a forked Python.
        moved = f'exec "$@" 3<&{read_there} 4>&{write_there}'
        self.process = subprocess.Popen(
            ["bash", "-c", moved, "bare", browser, *flags, "about:blank"],
            pass_fds=(read_there, write_there),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(read_there)
        os.close(write_there)
        self._read, self._write = read_here, write_here
        self._buffer = bytearray()
        self._number = 0
        self.events: deque[Message] = deque()
        self.last_size = 0

    def post(self, method: str, params: Mapping[str, Any] | None = None, session: str | None = None) -> int:
        self._number += 1
        message: Message = {"id": self._number, "method": method, "params": params or {}}
        if session is not None:
            message["sessionId"] = session
        os.write(self._write, msgspec.json.encode(message) + b"\0")
        return self._number

    def wait(self, *numbers: int) -> list[Message]:
        replies: dict[int, Message] = {}
        while len(replies) < len(numbers):
            message = self._receive()
            if message.get("id") in numbers:
                if "error" in message:
                    raise RuntimeError(str(message["error"]))
                replies[message["id"]] = message["result"]
            elif "method" in message:
                self.events.append(message)
        return [replies[number] for number in numbers]

    def wait_event(self, is_it: Callable[[Message], bool]) -> None:
        while True:
            while self.events:
                if is_it(self.events.popleft()):
                    return
            message = self._receive()
            if "method" in message:
                self.events.append(message)

    def close(self) -> None:
        with contextlib.suppress(OSError, RuntimeError):
            self.wait(self.post("Browser.close"))
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self._read)
        os.close(self._write)
        shutil.rmtree(self._profile, ignore_errors=True)

    def _receive(self) -> Message:
        searched = 0
        while (end := self._buffer.find(b"\0", searched)) < 0:
            searched = len(self._buffer)
            chunk = os.read(self._read, 1 << 20)
            if not chunk:
                raise RuntimeError("Chrome has ended")
            self._buffer += chunk
        line = self._buffer[:end]
        del self._buffer[: end + 1]
        self.last_size = len(line)
        message: Message = msgspec.json.decode(line)
        return message


class BareChrome:
    """One page of a Chrome of its own; each operation blocks."""

    def __init__(self, browser: str, *, no_sandbox: bool) -> None:
        self._pipe = _Pipe(browser, no_sandbox=no_sandbox)
        targets = self._pipe.wait(self._pipe.post("Target.getTargets"))[0]["targetInfos"]
        page = next(target["targetId"] for target in targets if target["type"] == "page")
        attached = self._pipe.wait(self._pipe.post("Target.attachToTarget", {"targetId": page, "flatten": True}))
        self._session: str | None = attached[0]["sessionId"]
        for domain in ("Page", "DOM", "Runtime", "Network"):
            self._call(f"{domain}.enable")
        metrics = {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False}
        self._call("Emulation.setDeviceMetricsOverride", metrics)
        self.nodes: list[Message] = []

    def find(self, role: str, name: str) -> int:
        """An element in the last snapshot, as a backend node id.

        Raises:
            KeyError: it is not there.
        """
        for node in self.nodes:
            is_it = node.get("role", {}).get("value") == role and node.get("name", {}).get("value") == name
            if is_it and not node.get("ignored"):
                found: int = node["backendDOMNodeId"]
                return found
        raise KeyError(f"bare: no {role} {name!r}")

    def do(self, kind: str, values: Mapping[str, Any]) -> float:
        """Do one operation; seconds.

        Raises:
            RuntimeError: Chrome refused.
        """
        self._pipe.events.clear()
        started = time.perf_counter()
        getattr(self, f"_{kind}")(**values)
        return time.perf_counter() - started

    def can(self, kind: str) -> bool:
        """Whether there is such an operation without a server."""
        return hasattr(self, f"_{kind}")

    def close(self) -> None:
        """End the browser."""
        self._pipe.close()

    # -- operations ----------------------------------------------------------------------------------

    def _navigate(self, url: str) -> None:
        reply = self._call("Page.navigate", {"url": url})
        if "errorText" in reply:
            raise RuntimeError(reply["errorText"])
        if "loaderId" in reply:
            self._wait_load()

    def _snapshot(self) -> None:
        self.nodes = self._call("Accessibility.getFullAXTree")["nodes"]

    def _click(self, ref: int, navigates: bool = False) -> None:
        self._call("DOM.scrollIntoViewIfNeeded", {"backendNodeId": ref})
        quad = self._call("DOM.getContentQuads", {"backendNodeId": ref})["quads"][0]
        point = {"x": sum(quad[0::2]) / 4, "y": sum(quad[1::2]) / 4}
        self._call("Input.dispatchMouseEvent", {"type": "mouseMoved", **point})
        press = {**point, "button": "left", "clickCount": 1}
        self._calls(("Input.dispatchMouseEvent", {"type": kind, **press}) for kind in ("mousePressed", "mouseReleased"))
        if navigates:
            self._wait_load()

    def _fill(self, ref: int, value: str) -> None:
        self._calls(
            [
                ("DOM.focus", {"backendNodeId": ref}),
                ("Runtime.evaluate", {"expression": _SELECT}),
                ("Input.insertText", {"text": value}),
            ]
        )

    def _fill_form(self, fields: Sequence[Mapping[str, Any]]) -> None:
        nodes = self._calls(("DOM.resolveNode", {"backendNodeId": field["ref"]}) for field in fields)
        calls = []
        for node, field in zip(nodes, fields, strict=True):
            function = {"objectId": node["object"]["objectId"], "functionDeclaration": _SET_VALUE}
            calls.append(("Runtime.callFunctionOn", {**function, "arguments": [{"value": field["value"]}]}))
        self._calls(calls)

    def _evaluate(self, expr: str) -> None:
        self._call("Runtime.evaluate", {"expression": expr, "returnByValue": True, "awaitPromise": True})

    def _screenshot(self) -> None:
        self._call("Page.captureScreenshot", {"format": "png", "optimizeForSpeed": True})

    def _wait_for(self, text: str) -> None:
        expression = _WAIT.replace("TEXT", msgspec.json.encode(text).decode())
        self._call("Runtime.evaluate", {"expression": expression, "awaitPromise": True})

    def _wait_load(self) -> None:
        self._pipe.wait_event(lambda event: event["method"] == "Page.loadEventFired")

    def _call(self, method: str, params: Mapping[str, Any] | None = None) -> Message:
        return self._pipe.wait(self._pipe.post(method, params, self._session))[0]

    def _calls(self, calls: Any) -> list[Message]:
        numbers = [self._pipe.post(method, params, self._session) for method, params in calls]
        return self._pipe.wait(*numbers)
