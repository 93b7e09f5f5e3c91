"""``pagelens outline`` and ``pagelens search``: pages as text in the terminal."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from pagelens.errors import FileFailed, InvalidInput
from pagelens.snapshot.outline import OutlineOptions, SmartOutline
from pagelens.snapshot.outline.smart_outline import MAX_LINES, MIN_LINES
from pagelens.snapshot.part import part_of
from pagelens.snapshot.search import MAX_RESULTS, search_text

__all__ = ["outline", "search"]

_PAGE = "an address, an HTML file, or a file with a snapshot (as take_snapshot writes it)"
#: How a snapshot's text starts.
_SNAPSHOT = 'page "'


def outline(arguments: Sequence[str]) -> int:
    """Run ``pagelens outline …``; returns the exit code.

    Raises:
        InvalidInput: a command line that can't be right, or a uid that is none.
        FileFailed: the file can't be read. PagelensError: the page can't be opened.
    """
    parser = _Parser("pagelens outline", description="A page as an outline: a tenth of its text, nothing lost.")
    parser.add_argument("page", help=_PAGE)
    parser.add_argument("--uid", help="only this part of a saved snapshot: e12, or e12-e40")
    parser.add_argument("--max-lines", type=_count(MIN_LINES), default=MAX_LINES, metavar="N", help="%(default)s")
    parser.add_argument("--max-tokens", type=_count(200), metavar="N", help="about so many tokens, rather fewer")
    parser.add_argument("--depth", type=_count(1), metavar="N", help="levels of the tree")
    parser.add_argument("--json", action="store_true", help="as JSON")
    given = parser.parse_args(list(arguments))
    text = _text_of(given.page)
    if given.uid is not None:
        text = part_of(text, given.uid)
    smart = SmartOutline(OutlineOptions(given.max_lines, given.max_tokens, depth=given.depth))
    made = smart.generate(text)
    if given.json:
        stats = {"raw": smart.stats.raw, "shrunk": smart.stats.shrunk, "folded": smart.stats.folded}
        made = json.dumps({"outline": made.split("\n", 1)[1], "outlineStats": stats}, ensure_ascii=False, indent=1)
    print(made)
    return 0


def search(arguments: Sequence[str]) -> int:
    """Run ``pagelens search …``; returns the exit code: 1 when nothing matches.

    Raises:
        InvalidInput: a command line or a pattern that can't be right.
        FileFailed: the file can't be read. PagelensError: the page can't be opened.
    """
    parser = _Parser("pagelens search", description="What of a page as text matches a regular expression (ripgrep).")
    parser.add_argument("pattern")
    parser.add_argument("page", help=_PAGE)
    parser.add_argument("-i", "--ignore-case", action="store_true", help="capital and small letters are the same")
    parser.add_argument("-C", "--context", type=_count(0), default=0, metavar="N", help="lines around each match")
    parser.add_argument("--max-results", type=_count(1), default=MAX_RESULTS, metavar="N", help="%(default)s")
    given = parser.parse_args(list(arguments))
    found = asyncio.run(
        search_text(
            _text_of(given.page),
            given.pattern,
            ignore_case=given.ignore_case,
            context=given.context,
            max_results=given.max_results,
        )
    )
    print(found.text)
    return 0 if found.total else 1


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise InvalidInput(f"{message[:1].upper()}{message[1:]}.", f"See: {self.prog} --help")


def _count(least: int) -> Callable[[str], int]:
    def counted(text: str) -> int:
        if not text.isascii() or not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number from {least} up")
        return int(text)

    return counted


def _text_of(page: str) -> str:
    """The snapshot of a page: as it is in a file, or of what a browser shows."""
    if page == "-":
        return sys.stdin.read()
    path = Path(page)
    if "://" in page or page.startswith(("about:", "data:")):
        return asyncio.run(_read(page))
    try:
        with path.open("rb") as file:
            start = file.read(len(_SNAPSHOT)).decode("utf-8", "replace")
        if start == _SNAPSHOT:
            return path.read_text("utf-8", "replace").rstrip("\n")
    except OSError as error:
        raise FileFailed(f"{page} can't be read: {error.strerror}.", "Give an address or a file.") from error
    return asyncio.run(_read(path.resolve().as_uri()))


async def _read(url: str) -> str:
    from pagelens.api import launch

    async with launch() as browser:
        page = await browser.new_page()
        await page.goto(url)
        return (await page.snapshot()).text
