"""The list of field reports names tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]


def test_every_row_names_tests_that_exist() -> None:
    rows = re.findall(r"^\| (\d+) \|.*\|(.*)\|$", (TESTS / "field_reports.md").read_text(), re.M)
    assert len(rows) == len(dict(rows)) > 20
    for number, cell in rows:
        named = re.findall(r"`([\w/]+\.py)::(\w+)`", cell)
        assert named, number
        for file, name in named:
            assert re.search(rf"^async def {name}\(|^def {name}\(", (TESTS / file).read_text(), re.M), (file, name)
