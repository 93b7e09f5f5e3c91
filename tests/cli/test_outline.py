"""``pagelens outline`` and ``pagelens search``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pagelens.cli.main import main

SNAPSHOT = 'page "Shop" url=http://127.0.0.1/\nuid=e1 main\n' + "\n".join(
    f'  uid=e{n} link "Lamp {n}" /{n}' for n in range(2, 400)
)


@pytest.fixture
def saved(tmp_path: Path) -> str:
    path = tmp_path / "shop.txt"
    path.write_text(SNAPSHOT + "\n")
    return str(path)


def test_outline_of_a_saved_snapshot(saved: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["outline", saved, "--max-lines", "12"]) == 0
    said = capsys.readouterr().out.rstrip("\n")
    assert said.startswith(f"Page outline ({said.count(chr(10)) + 1}/400 lines)\n")
    assert said.count("\n") < 12
    assert main(["outline", saved, "--uid", "e20-e22", "--json"]) == 0
    assert "e21 Lamp 21" in json.loads(capsys.readouterr().out)["outline"]


def test_search_of_a_saved_snapshot(saved: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "-i", 'lamp 3[0-9]"', saved, "--max-results", "1"]) == 0
    assert capsys.readouterr().out == (
        '10 matches in 400 lines (1 shown, 9 more):\n  uid=e1 main\n>   uid=e30 link "Lamp 30" /30\n'
    )
    assert main(["search", "Chair", saved]) == 1


def test_wrong_command_lines(saved: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["outline", saved, "--max-lines", "3"]) == 2
    assert "no whole number from 10 up" in capsys.readouterr().err
    assert main(["search", "(", saved]) == 2
    assert "unclosed group" in capsys.readouterr().err
    assert main(["outline", str(tmp_path / "none.txt")]) == 1
    assert main(["outline", saved, "--uid", "e9999"]) == 1
    assert main(["--headless", "outline", saved]) == 2


@pytest.mark.long
def test_outline_of_an_html_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "page.html").write_text("<title>T</title><h1>Hello</h1><button>Go</button>")
    assert main(["outline", str(tmp_path / "page.html")]) == 0
    assert 'button "Go"' in capsys.readouterr().out
