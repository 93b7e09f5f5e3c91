"""How the time of outlines and searches grows, without a browser but for the snapshot that a search is held against."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.results import Results
from benchmarks.site import running_site
from pagelens.browser.host import BrowserHost
from pagelens.core.options import Options
from pagelens.snapshot.outline import SmartOutline
from pagelens.snapshot.search import search_text
from pagelens.snapshot.text_snapshot import TextSnapshot

__all__ = ["NESTED", "SEARCH", "SIBLINGS", "measure_outlines"]

_FEW, _MANY = 10_000, 100_000
_LEVELS = 1_000
_HEAD = 'page "Many" url=http://127.0.0.1/\n'
#: Of mixed roles without any order.
_ROLES = ("link", "button", "checkbox", "heading", "textbox")
#: A million words, no match: the text is gone through to its end.
_PATTERN = r"no such (word|thing|line)\b"
#: Catastrophic in engines that go back: this one must return all the same.
_CATASTROPHIC = r"(a|aa|a.?)*(\w+\s?)+$ no"

SIBLINGS, NESTED, SEARCH = "ten times the siblings", "1,000 levels", "search of 50,000 lines"


def _links(count: int) -> list[str]:
    return [f'uid=e{n} link "Item {n} of many" /items/{n}' for n in range(1, count + 1)]


def _cards(count: int) -> list[str]:
    lines = []
    for n in range(count // 4):
        first = f'  uid=e{2 * n + 1} link "Product {n}" /p/{n}'
        lines += ["item", first, f"  ${n % 90 + 9}", f'  uid=e{2 * n + 2} button "Add to cart"']
    return lines


def _rows(count: int) -> list[str]:
    return ['uid=e1 table "T"', *(f"  row {n} | name {n} | {n % 7} | {n % 11}" for n in range(count))]


def _unlike(count: int) -> list[str]:
    return [f'uid=e{n} {_ROLES[n * 7919 % 5]} "N{n}"' for n in range(1, count + 1)]


def _texts(count: int) -> list[str]:
    return [f"Paragraph {n} says something of its own" for n in range(count)]


_KINDS: dict[str, Callable[[int], list[str]]] = {
    "links": _links,
    "cards": _cards,
    "rows": _rows,
    "unlike": _unlike,
    "texts": _texts,
}


async def measure_outlines(
    results: Results, *, browser: str, cache: Path, folder: Path, no_sandbox: bool, rounds: int
) -> None:
    """Outlines of few and of many siblings in turn, of nested levels; a search beside the snapshot it goes through."""
    for kind, lines in _KINDS.items():
        few, many = _HEAD + "\n".join(lines(_FEW)), _HEAD + "\n".join(lines(_MANY))
        SmartOutline().generate(few)
        for _ in range(rounds):
            pair = (_cpu_of_outline(few), _cpu_of_outline(many))
            results.growth.setdefault(f"{SIBLINGS}: {kind}", []).append(pair)
        print(f"  {kind}", flush=True)
    nested = _HEAD + "\n".join(
        f'{"  " * level}uid=e{2 * level + 1} region "R{level}"\n{"  " * level}  uid=e{2 * level + 2} link "L{level}"'
        for level in range(_LEVELS)
    )
    for _ in range(rounds):
        results.growth.setdefault(NESTED, []).append((1.0, _cpu_of_outline(nested)))
    await _search(results, browser, rounds, no_sandbox=no_sandbox)


async def _search(results: Results, browser: str, rounds: int, *, no_sandbox: bool) -> None:
    arguments = ("--no-sandbox",) if no_sandbox else ()
    host = BrowserHost(Options(executable_path=browser, headless=True, isolated=True, chrome_args=arguments))
    try:
        await host.ensure_running()
        with running_site() as site:
            page = await host.new_page()
            await page.navigate(f"{site}/lines.html")
            await TextSnapshot.take(page)
            for _ in range(rounds):
                started = time.perf_counter()
                snapshot = await TextSnapshot.take(page)
                taken = time.perf_counter()
                for pattern in (_PATTERN, _CATASTROPHIC):
                    await asyncio.wait_for(search_text(snapshot.text, pattern), 60)
                searched = time.perf_counter()
                assert snapshot.line_count > 50_000
                results.growth.setdefault(SEARCH, []).append((taken - started, (searched - taken) / 2))
    finally:
        await host.close()


def _cpu_of_outline(text: str) -> float:
    started = time.process_time()
    SmartOutline().generate(text)
    return time.process_time() - started
