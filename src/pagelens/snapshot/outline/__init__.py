"""A snapshot in a tenth of its tokens, nothing lost: see `SmartOutline`."""

from __future__ import annotations

from pagelens.snapshot.outline.lists import ListDetector, ListPattern
from pagelens.snapshot.outline.node import ElementNode
from pagelens.snapshot.outline.parse import parse_snapshot
from pagelens.snapshot.outline.simhash import DomSimHash
from pagelens.snapshot.outline.smart_outline import Outline, OutlineOptions, OutlineStats, SmartOutline
from pagelens.snapshot.outline.wrappers import UselessWrapperRemover

__all__ = [
    "DomSimHash",
    "ElementNode",
    "ListDetector",
    "ListPattern",
    "Outline",
    "OutlineOptions",
    "OutlineStats",
    "SmartOutline",
    "UselessWrapperRemover",
    "parse_snapshot",
]
