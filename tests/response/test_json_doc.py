"""docs/json.md has every key that a reply can have, and no other."""

from __future__ import annotations

import re
from pathlib import Path

import pagelens.response

SOURCES = Path(pagelens.response.__file__).parent
DOC = Path(__file__).parents[2] / "docs" / "json.md"


def test_every_key_is_documented() -> None:
    written = {
        key
        for file in SOURCES.rglob("*.py")
        for key in re.findall(r'(?:\bout\.json\["|\bkey=")(\w+)"', file.read_text("utf-8"))
    }
    written |= {"pagination", "snapshotCursor"}  # of `Listing`
    documented = set(re.findall(r"^\| `(\w+)` \|", DOC.read_text("utf-8"), re.M))
    assert len(written) > 15
    assert written == documented
