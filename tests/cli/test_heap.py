"""``pagelens heap``: tables and JSON from snapshots made for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pagelens.cli.doctor import _Doctor
from pagelens.cli.heap import heap
from pagelens.cli.main import main
from tests.analysis.heap.made import MadeHeap


def page(items: int) -> MadeHeap:
    """A window that holds a list of things, one with a name that would forge a line."""
    made = MadeHeap()
    made.node("window", "object", "Window", 10)
    made.edge("root", "window", "shortcut", "window")
    made.node("list", "object", "List", 100, held_by="window")
    for number in range(items):
        made.node(f"thing {number}", "object", "Thing", 1000, held_by="list", id=1001 + 2 * number)
    made.node("evil", "closure", "evil\x1b[31m\n  all  0", 5, held_by="window", id=901)
    made.node("lost", "string", "lost", 7, id=903)
    return made


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    paths = tmp_path / "before.heapsnapshot", tmp_path / "after.heapsnapshot"
    for path, items in zip(paths, (2, 5), strict=True):
        path.write_text(page(items).text())
    return str(paths[0]), str(paths[1])


def lines(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    assert main(["heap", *arguments]) == 0
    out = capsys.readouterr()
    assert out.err == ""
    return [" ".join(line.split()) for line in out.out.splitlines()]


def data(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert heap([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_summary(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    found = lines(capsys, "summary", files[0])
    assert found[:4] == ["7 nodes, 5 edges", "bytes", "all 2,122", "V8's heap 2,122"]
    assert "strings 7" in found
    assert data(capsys, "summary", files[0])[0] == {"name": "total", "size": 2122}


def test_classes(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert lines(capsys, "classes", files[1]) == [
        "class objects own bytes retained name",
        "1 1 10 5,115 Window",
        "2 1 100 5,100 List",
        "3 5 5,000 5,000 Thing",
        "5 1 7 7 (string)",
        "4 1 5 5 Function",
    ]
    assert lines(capsys, "classes", files[1], "--top", "1")[1:] == [
        "1 1 10 5,115 Window",
        "… and 4 more (--top 0 shows all)",
    ]
    assert lines(capsys, "classes", files[1], "--filter", "objectsRetainedByConsole") == []
    assert data(capsys, "classes", files[1], "--top", "1") == [
        {"id": 1, "name": "Window", "count": 1, "selfSize": 10, "retainedSize": 5115}
    ]


def test_retainers(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    found = lines(capsys, "retainers", files[0], "@1003")
    assert found[0] == "@1003 Thing: object, 1,000 bytes retained"
    assert [line for line in found if line.startswith("@")][1:] == [
        "@3 1 2,115 property list Window",
        "@5 2 2,100 property thing 1 List",
        "@5 2 2,100 property thing 1 List",
    ]
    assert "nothing reaches it from the page's roots" in lines(capsys, "retainers", files[0], "903")
    found = data(capsys, "retainers", files[0], "1003")
    assert [step["name"] for step in found["shortestPath"]] == ["Window", "List"]
    assert found["node"]["retainedSize"] == 1000


def test_a_name_forges_no_line(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    found = lines(capsys, "retainers", files[0], "901")
    assert found[0] == "@901 evil[31m all 0: closure, 5 bytes retained"
    assert "all 0" not in found


def test_diff(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert lines(capsys, "diff", *files) == [
        "+3 objects, +3,000 bytes in all",
        "class new gone objects bytes name",
        "0 +3 -0 +3 +3,000 Thing",
    ]
    assert lines(capsys, "diff", *files, "--class", "0") == [
        "Thing",
        "object own bytes retained name",
        "+ @1005 1,000 1,000 Thing",
        "+ @1007 1,000 1,000 Thing",
        "+ @1009 1,000 1,000 Thing",
    ]
    assert data(capsys, "diff", files[1], files[0])[0]["sizeDelta"] == -3000


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ([], 2, "COMMAND"),
        (["classes"], 2, "required: file"),
        (["classes", "FILE", "--filter", "x"], 2, "invalid choice: 'x'"),
        (["retainers", "FILE", "3x"], 2, "'3x' is no number"),
        (["retainers", "FILE", "77"], 1, "No object has the id 77"),
        (["diff", "FILE", "FILE", "--class", "0"], 1, "0 changed"),
        (["summary", "nowhere"], 1, "There is no file nowhere"),
        (["classes", "FILE", "--filter", "attributedToSpecificNativeContext"], 2, "needs the id"),
    ],
)
def test_mistakes(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, words: str
) -> None:
    assert main(["heap", *(files[0] if part == "FILE" else part for part in arguments)]) == code
    out = capsys.readouterr()
    assert out.out == ""
    assert words in out.err


def test_the_doctor_compiles_what_large_files_need() -> None:
    said: list[str] = []
    assert _Doctor(said.append).warm_up()
    assert len(said) == 1
    assert "kernels ready" in said[0]


def test_flags_before_it_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--verbose", "heap"]) == 2
    assert "pagelens heap COMMAND" in capsys.readouterr().err
