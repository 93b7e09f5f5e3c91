"""What has come in the place of an element that is gone: pages draw things anew, with the same role and name."""

from __future__ import annotations

import asyncio
import re
from collections import deque
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from pagelens.core.safe_text import shortened
from pagelens.errors import ElementGone, PagelensError
from pagelens.snapshot.text_snapshot import TextSnapshot

if TYPE_CHECKING:
    from pagelens.browser.page import Page

__all__ = ["Successors"]

#: So many snapshots are remembered: an agent may act on what it saw a few calls ago.
REMEMBERED = 3
#: How long the page may take to be read for a successor; an agent that is told nothing reads it itself. Seconds.
LOOK = 0.35
#: So many candidates are named.
NAMED = 3
#: How like each other two names must be, from 0 to 1.
ALIKE = 0.6

_GONE = re.compile(r"\be(\d+) is gone\b")
_LINE = re.compile(r' *uid=e(\d+) ([\w-]+)(?: ("(?:[^"\\]|\\.)*"))?')


class Successors:
    """Remembers what snapshots of one page showed, for as long as it may be asked for."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._texts: deque[str] = deque(maxlen=REMEMBERED)

    def remember(self, snapshot: TextSnapshot) -> None:
        """The agent may have seen this."""
        self._texts.append(snapshot.text)

    def forget(self) -> None:
        """Nobody will ask any more."""
        self._texts.clear()

    async def explained(self, error: ElementGone) -> ElementGone:
        """`error`, with the element that has come instead as its hint; the same when none is known."""
        match = _GONE.search(error.message)
        before = self._seen(int(match[1])) if match else None
        if match is None or before is None:
            return error
        try:
            async with asyncio.timeout(LOOK):
                snapshot = await TextSnapshot.take(self._page)
        except (PagelensError, TimeoutError):
            return error  # it is gone all the same; that the page can't be read is for the next call to say
        hint = _hint(before, int(match[1]), snapshot.text)
        self.remember(snapshot)
        return type(error)(error.message, hint)

    def _seen(self, number: int) -> str | None:
        """The snapshot that showed a uid last."""
        for text in reversed(self._texts):
            if re.search(rf"^ *uid=e{number} ", text, re.MULTILINE):
                return text
        return None


def _hint(before: str, number: int, now: str) -> str:
    old = {int(m[1]): (m[2], m[3] or "") for m in map(_LINE.match, before.split("\n")) if m}
    new = {int(m[1]): (m[2], m[3] or "") for m in map(_LINE.match, now.split("\n")) if m}
    role, name = old[number]
    was = f"It was {role}{f' {name}' if name else ''}."
    # What was there beside it is something else, however like it.
    come = [uid for uid in new if uid not in old]
    same = [uid for uid in come if new[uid] == (role, name)]
    if same:
        # Of several like it, the one in the same place among them.
        alike = [uid for uid in old if old[uid] == (role, name)]
        place = alike.index(number)
        if len(same) > 1 and len(same) == len(alike):
            same = [same[place]]
        if len(same) == 1:
            return f"{was} The page drew it anew: use {_words(same[0], new)}."
        return f"{was} Now there are {len(same)} like it: {_listed(same, new)}."
    likest = sorted(
        (uid for uid in come if new[uid][0] == role and name and _likeness(new[uid][1], name) >= ALIKE),
        key=lambda uid: -_likeness(new[uid][1], name),
    )
    if likest:
        return f"{was} The nearest of what has come since: {_listed(likest, new)}."
    return f"{was} Nothing like it has come since; take a new snapshot to see what is there."


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one[:200], other[:200], autojunk=False).ratio()


def _words(uid: int, lines: dict[int, tuple[str, str]]) -> str:
    role, name = lines[uid]
    return shortened(f"uid=e{uid} {role}{f' {name}' if name else ''}", 120)


def _listed(uids: list[int], lines: dict[int, tuple[str, str]]) -> str:
    more = f" and {len(uids) - NAMED} more" if len(uids) > NAMED else ""
    return "; ".join(_words(uid, lines) for uid in uids[:NAMED]) + more
