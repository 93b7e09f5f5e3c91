"""Outlines of real pages, judged by the two texts alone and measured against Chrome's own tree."""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from benchmarks.shop import shop_page
from pagelens.browser.page import Page
from pagelens.snapshot.outline import OutlineOptions, SmartOutline
from pagelens.snapshot.text_snapshot import TextSnapshot
from tests.snapshot.outline.checker import check
from tests.snapshot.test_oracle import POLICY
from tests.support.data import data_file, saved_pages
from tests.support.site import Site

BUDGETS = (10, 11, 15, 25, 40, 100, 300)
SHORT = ("bbc-1.html", "links-in-tables.html", "wikipedia-4.html")
SAVED = [pytest.param(name, marks=[] if name in SHORT else [pytest.mark.long]) for name in saved_pages()]
STATES = ("checked", "selected", "expanded", "pressed", "disabled", "required", "readonly", "invalid", "level", "modal")


@dataclass(frozen=True)
class Figures:
    """What an outline has of the lines and tokens of Chrome's tree; of the interactive elements and their names."""

    full: int
    lines: float
    tokens: float
    own: float
    names: float
    cells: float


@pytest.mark.data
@pytest.mark.parametrize("name", SAVED)
async def test_saved_page(page: Page, site: Site, name: str) -> None:
    figures = await judged(page, site.page(saved(name), headers=POLICY))
    if figures.full >= 500:
        assert figures.lines <= 0.30
    if figures.full >= 100:
        assert figures.tokens <= 0.45
    assert figures.names >= 0.6


@pytest.mark.long
@pytest.mark.data
async def test_the_middle_of_all_saved_pages(page: Page, site: Site) -> None:
    figures = [await judged(page, site.page(saved(name), headers=POLICY), budgets=()) for name in saved_pages()]
    figures = [one for one in figures if one.full >= 10]  # one page shows nothing without its scripts
    assert len(figures) > 25
    middle = {
        key: statistics.median(getattr(one, key) for one in figures)
        for key in ("lines", "tokens", "own", "names", "cells")
    }
    assert middle["lines"] <= 0.20
    assert middle["tokens"] <= 0.33
    assert middle["own"] >= 0.8
    assert middle["cells"] >= 0.8


async def test_the_shop_page(page: Page, site: Site) -> None:
    figures = await judged(page, site.page(shop_page()), budgets=(10, 100))
    assert figures.full > 4_000
    assert figures.lines <= 0.08
    assert figures.names >= 0.6
    outline = SmartOutline().generate(renumbered((await TextSnapshot.take(page)).text))
    assert tokens(outline) <= 16_000
    cards = await page.session.send(
        "Runtime.evaluate",
        {
            "expression": "[...document.querySelectorAll('[aria-label=Results] > *')].map(card => ["
            "card.querySelector('h2').innerText, /[$€]\\s*[\\d,.]+/.exec(card.innerText)[0]])",
            "returnByValue": True,
        },
    )
    products = cards["result"]["value"]
    assert len(products) == 48
    said = outline.replace("\\", "")
    for product, price in products:
        assert re.sub(r"\s+", " ", product)[:39].rstrip() in said
        assert price in said


async def judged(page: Page, url: str, budgets: tuple[int, ...] = BUDGETS) -> Figures:
    """The figures of a page's outline, in which nothing may be wrong, at these budgets either."""
    await page.navigate(url)
    snapshot = renumbered((await TextSnapshot.take(page)).text)
    outline = SmartOutline().generate(snapshot)
    verdict = check(snapshot, outline)
    assert verdict.faults == {}
    assert verdict.never == [] or outline.count("\n") + 1 > 900, verdict.never[:9]
    for lines in budgets:
        fitted = SmartOutline(OutlineOptions(max_lines=lines)).generate(snapshot)
        assert fitted.count("\n") + 1 <= lines
        assert check(snapshot, fitted).faults == {}, f"{lines} lines"
    full: list[str] = []
    for frame in page.main_frame.subtree():
        tree = await frame.session.send("Accessibility.getFullAXTree", {"frameId": frame.id}, timeout=60)
        full += full_lines(tree["nodes"])
    return Figures(
        full=len(full),
        lines=(outline.count("\n") + 1) / max(len(full), 1),
        tokens=tokens(outline) / max(tokens("\n".join(full)), 1),
        own=verdict.own / verdict.interactive if verdict.interactive else 1.0,
        names=verdict.names_said / verdict.names if verdict.names else 1.0,
        cells=verdict.names_in_cells / verdict.names if verdict.names else 1.0,
    )


def saved(name: str) -> str:
    return data_file("pages", "saved", name).read_text("utf-8", "replace")


def full_lines(nodes: list[dict[str, Any]]) -> list[str]:
    """The nodes of Chrome's tree that say something, one a line: none that is ignored, and no text that only repeats
    its parent's name."""
    by_id = {node["nodeId"]: node for node in nodes}
    lines: list[str] = []
    depths: dict[str, int] = {}
    for node in in_order(nodes, by_id):
        role, name = word(node, "role"), word(node, "name")
        if node.get("ignored") or role in ("InlineTextBox", "LineBreak"):
            continue
        parent = by_id.get(node.get("parentId", ""))
        while parent is not None and parent.get("ignored"):
            parent = by_id.get(parent.get("parentId", ""))
        if role == "StaticText" and (name == "" or (parent is not None and word(parent, "name") == name)):
            continue
        depth = 0 if parent is None else depths[parent["nodeId"]] + 1
        depths[node["nodeId"]] = depth
        properties = {p["name"]: p["value"].get("value") for p in node.get("properties", ())}
        states = [
            f"{key}={properties[key]}" for key in STATES if properties.get(key) not in (None, False, "false", "", 0)
        ]
        said = [f"e{len(lines)}", role, *([f'"{name}"'] if name else []), *states]
        lines.append(" " * depth + " ".join(said))
    return lines


def in_order(nodes: list[dict[str, Any]], by_id: dict[str, dict[str, Any]]) -> Iterator[dict[str, Any]]:
    stack = [node for node in nodes if "parentId" not in node]
    while stack:
        node = stack.pop()
        yield node
        stack += [by_id[child] for child in reversed(node.get("childIds", ())) if child in by_id]


def renumbered(snapshot: str) -> str:
    """The snapshot as if it were a browser's first: how long numbers are is not what is measured."""
    numbers: dict[str, int] = {}
    return re.sub(
        r"(?m)^( *)uid=e(\d+)", lambda m: f"{m[1]}uid=e{numbers.setdefault(m[2], len(numbers) + 1)}", snapshot
    )


def word(node: dict[str, Any], key: str) -> str:
    return str(node.get(key, {}).get("value") or "").strip()


def tokens(text: str) -> int:
    import bpe_openai  # type: ignore[import-untyped]  # takes seconds: not while tests are collected

    encoding = bpe_openai.get_encoding("o200k_base")
    lines = text.split("\n")
    return sum(len(encoding.encode("\n".join(lines[at : at + 500]))) for at in range(0, len(lines), 500))
