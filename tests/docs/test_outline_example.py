"""The example of docs/outline.md is what an outline looks like."""

from __future__ import annotations

import re
from pathlib import Path

from pagelens.snapshot.outline import OutlineOptions, SmartOutline

DOCS = Path(__file__).resolve().parents[2] / "docs" / "outline.md"


def test_the_example() -> None:
    snapshot, outline, short = re.findall(r"```text\n(.*?)\n```", DOCS.read_text(), re.DOTALL)
    assert SmartOutline().generate(snapshot) == outline
    assert SmartOutline(OutlineOptions(max_lines=12)).generate(snapshot) == short
