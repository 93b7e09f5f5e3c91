"""The report: one page that loads nothing, shows everything, and takes text of the trace for text."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

import pytest

from pagelens.analysis.trace import Trace
from pagelens.analysis.trace.report import html_report
from pagelens.browser.page import Page
from pagelens.cli.main import main
from pagelens.errors import FileFailed
from tests.analysis.trace.made import URL, MadeTrace

EVIL = URL + "</script><img src=x onerror=alert(1)>{{data}}\u202e\ud800.js"
#: The smallest thing that Chrome draws as a JPEG need not be one: it is never decoded here.
JPEG = base64.b64encode(b"\xff\xd8\xff\xe0" + bytes(20)).decode()


def made() -> MadeTrace:
    found = MadeTrace(charset="text/html")
    found.request("10.2", EVIL, 60, 100, type="Stylesheet", priority="VeryHigh", blocking="blocking")
    found.add("RunTask", at=210, dur=130)
    found.add("FunctionCall", at=212, dur=120, args={"data": {"functionName": "f", "url": EVIL, "lineNumber": 3}})
    nodes = [
        {"id": 1, "callFrame": {"functionName": "(root)"}},
        {"id": 2, "callFrame": {"functionName": "<b>evil</b>", "url": EVIL, "lineNumber": 1}, "parent": 1},
    ]
    found.add("Profile", at=210, ph="P", id="0x9", args={"data": {"startTime": 0}})
    profile = {"cpuProfile": {"nodes": nodes, "samples": [2, 2, 1]}, "timeDeltas": [5_000, 90_000, 10_000]}
    found.add("ProfileChunk", at=330, ph="P", id="0x9", args={"data": profile})
    for at, data in ((100, JPEG), (150, JPEG), (200, "javascript:alert(1)"), (250, JPEG[:-4] + "AQ==")):
        found.add("Screenshot", at=at, pid=1, args={"snapshot": data})
    return found


def data_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    data = json.loads(found[1])
    assert isinstance(data, dict)
    return data


def test_it_holds_what_the_trace_has_and_nothing_that_is_markup() -> None:
    page = html_report(Trace.load(made().text())).decode()
    assert page.isascii() or "\u202e" not in page
    assert page.count("<script") == 2
    assert "<img" not in page
    assert not re.search(r"""(?:src|href)=["']?(?:https?:)?//""", page)
    (load,) = data_of(page)["loads"]
    assert [metric["value"] for metric in load["metrics"]] == ["200 ms", "200 ms", "0.000", "26 ms", "80 ms"]
    assert {one["name"] for one in load["findings"] if one["state"] == "fail"} >= {"RenderBlocking", "CharacterSet"}
    assert [name for name, *_ in load["functions"]] == ["<b>evil</b>"]
    assert load["tasks"][0]["what"].startswith("<b>evil</b> http://made.test/")
    assert [request["blocking"] for request in load["requests"]] == [False, True]
    names = [load["labels"][label][0] for _, _, _, label in load["spans"]]
    assert names == ["CommitLoad", "RunTask", "FunctionCall", "<b>evil</b>", "RunTask"]
    # Those that are the same as the one before, and what is no picture, are left out.
    assert [picture["at"] for picture in load["pictures"]] == [100, 250]


def test_what_is_said_of_an_insight_may_be_given() -> None:
    page = html_report(Trace.load(made().text()), lambda load, insight: [f"{insight.name} of {load.id}"]).decode()
    (load,) = data_of(page)["loads"]
    assert load["findings"][0]["lines"] == [f"{load['findings'][0]['name']} of NAVIGATION_0"]


async def test_a_browser_shows_it(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    trace = Trace.load(made().text())
    assert trace.save_report(path) == path.stat().st_size
    failures: list[str] = []
    page.session.on("Runtime.exceptionThrown", lambda event: failures.append(str(event["exceptionDetails"])))
    page.session.on("Log.entryAdded", lambda event: failures.append(event["entry"]["text"]))
    await page.session.send("Runtime.enable")
    await page.session.send("Log.enable")
    await page.navigate(path.as_uri())

    async def value(expression: str) -> Any:
        found = await page.session.send("Runtime.evaluate", {"expression": expression, "returnByValue": True})
        return found["result"].get("value")

    text = await value("document.body.innerText")
    for words in ("First contentful paint", "RenderBlocking", "Main thread", "Network", "<b>evil</b>", "80 ms"):
        assert words in text, words
    assert await value("document.querySelectorAll('figure img').length") == 2
    assert await value("document.querySelectorAll('.water tr').length") == 2
    drawn = "canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.filter(Boolean).length"
    assert await value(f"var canvas = document.querySelector('canvas'); {drawn}") > 1_000
    # Half of the window further, wherever the mouse is, the work under it is named.
    await value("document.querySelector('.flame').scrollIntoView()")
    x, y, width = await value("(({x, y, width}) => [x, y, width])(canvas.getBoundingClientRect())")
    at = x + width * (250 / 3001)
    await page.session.send("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": at, "y": y + 20 + 18 * 2 + 9})
    assert "<b>evil</b>()" in await value("document.getElementById('tip').textContent")
    for width in (1280, 800, 360):
        size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
        await page.session.send("Emulation.setDeviceMetricsOverride", size)
        assert await value("document.documentElement.scrollWidth <= innerWidth"), width
    await page.session.send("Emulation.clearDeviceMetricsOverride")
    # The pictures are none that can be drawn; nothing else has anything to complain of.
    assert [text for text in failures if "data:image" not in text] == []


def test_it_can_not_be_written(tmp_path: Path) -> None:
    with pytest.raises(FileFailed, match="could not be written"):
        Trace.load(made().text()).save_report(tmp_path / "none" / "report.html")


def test_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, target = tmp_path / "trace.json", tmp_path / "report.html"
    source.write_bytes(made().text())
    assert main(["trace", str(source), "--report", str(target)]) == 0
    assert "open it in a browser" in capsys.readouterr().err
    assert target.read_bytes().startswith(b"<!doctype html>")
