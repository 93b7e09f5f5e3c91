"""``pagelens trace``: tables and JSON from traces made for it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pagelens.cli.main import main
from tests.analysis.trace.made import URL, MadeTrace


@pytest.fixture
def file(tmp_path: Path) -> str:
    made = MadeTrace(charset="text/html")
    made.request(
        "10.2", URL + "evil\x1b[31m\n.css", 60, 100, type="Stylesheet", priority="VeryHigh", blocking="blocking"
    )
    made.add("RunTask", at=210, dur=130)
    path = tmp_path / "trace.json"
    path.write_bytes(made.text())
    return str(path)


def test_json(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trace", file, "--json"]) == 0
    (load,) = json.loads(capsys.readouterr().out)["navigations"]
    assert list(load) == ["id", "url", "fcp_ms", "lcp_ms", "cls", "inp_ms", "ttfb_ms", "tbt_ms", "insights"]
    assert (load["id"], load["url"], load["fcp_ms"], load["inp_ms"]) == ("NAVIGATION_0", URL, 200, None)
    assert load["tbt_ms"] == 80
    assert len(load["insights"]) == 19
    assert {name for name, state in load["insights"].items() if state == "fail"} == {
        "RenderBlocking",
        "NetworkDependencyTree",
        "Cache",
        "CharacterSet",
    }


def test_tables(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trace", file]) == 0
    out = capsys.readouterr().out
    assert "largest contentful paint  200 ms  good" in out
    assert "P: ttfb 26, renderDelay 174 ms" in out
    assert "RenderBlocking" in out
    assert "FCP 100 ms (estimate)" in out
    assert "\x1b" not in out
    assert not any(line.startswith(".css") for line in out.splitlines())


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ([], 2, "required: FILE"),
        (["FILE", "--top", "x"], 2, "'x' is no number"),
        (["none.json"], 1, "There is no file none.json"),
        (["EMPTY"], 1, "the file is empty"),
    ],
)
def test_failures(
    arguments: list[str], code: int, words: str, file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    empty = tmp_path / "empty.json"
    empty.touch()
    names = {"FILE": file, "EMPTY": str(empty)}
    assert main(["trace", *(names.get(part, part) for part in arguments)]) == code
    assert words in capsys.readouterr().err


def test_flags_come_after_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--verbose", "trace"]) == 2
    assert "pagelens trace FILE" in capsys.readouterr().err
