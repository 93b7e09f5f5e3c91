"""How long a reply may get. What is cut is said, with the way to all of it.

Every block gets what it needs as long as all fits. When it does not, the short ones still do, and the long ones share
the rest equally: no block starves another. Of a list fewer items are shown and the others are on the next page; of
anything else the beginning is shown, and all of it goes to a file. Notices and the error are never cut.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NotRequired, TypedDict

from pagelens.core.options import MAX_REPLY_CHARS
from pagelens.core.safe_text import one_line, shortened
from pagelens.errors import PagelensError
from pagelens.response.output import Output, json_size

__all__ = ["MAX_REPLY_CHARS", "Cut", "CutJson", "Keep", "cut_text", "fit", "shares", "trimmed"]

#: Writes a file that nobody named, e.g. ``snapshot.txt``; returns where it is.
Keep = Callable[[str, bytes], Awaitable[Path]]

#: Characters that saying of one block what was cut takes up at most, in the text and in the JSON.
_NOTICE = 700
#: A list that is so many times too long in plain text does not fit in any format.
_ENCODED_AT_MOST = 3


class CutJson(TypedDict):
    """A block that is not shown whole, and the files that have all of it: its text, its JSON; or why there are none."""

    section: str
    filePath: NotRequired[str]
    jsonFilePath: NotRequired[str]
    lost: NotRequired[str]


@dataclass(frozen=True, slots=True)
class Cut:
    """The part of a text that fits.

    Attributes:
        text: whole lines from the start; a first line that is too long alone is cut inside.
        shown_lines: lines in `text`.
        total_lines: lines there were.
        total_chars: characters there were.
    """

    text: str
    shown_lines: int
    total_lines: int
    total_chars: int

    @property
    def is_cut(self) -> bool:
        """Whether something is missing."""
        return len(self.text) < self.total_chars


def cut_text(text: str, limit: int = MAX_REPLY_CHARS) -> Cut:
    """As many whole lines of `text` as fit into `limit` characters; of a line that would leave most of them unused the
    beginning, too."""
    total_lines = text.count("\n") + 1
    if len(text) <= limit:
        return Cut(text, total_lines, total_lines, len(text))
    end = text.rfind("\n", 0, limit + 1)
    shown = text[: end if end > limit // 4 else limit]
    return Cut(shown, shown.count("\n") + 1, total_lines, len(text))


async def fit(outputs: Sequence[Output], limit: int, *, with_json: bool, keep: Keep) -> None:
    """Shorten what is too long, until the text of all has at most `limit` characters, and the JSON too if it counts.

    Args:
        outputs: the blocks of a reply, in their order.
        with_json: the structured reply is sent as well.
        keep: takes what has no room in the reply.
    """
    kept = [out.is_kept for out in outputs]
    for out in outputs:
        out.shorten_before_encoding(_ENCODED_AT_MOST * limit)
    rooms = shares([len(out.text) + 1 for out in outputs], kept, limit)
    cuts: list[CutJson] = [{"section": out.key} for out in outputs]
    for out, room, cut in zip(outputs, rooms, cuts, strict=True):
        if len(out.text) + 1 > room and not out.is_kept:
            await _fit_text(out, room, cut, keep)
    if with_json:
        said = sum(json_size(cut) + 1 for cut in cuts if len(cut) > 1)
        rooms = shares([json_size(out.json) for out in outputs], kept, limit - said)
        for out, room, cut in zip(outputs, rooms, cuts, strict=True):
            if json_size(out.json) > room and not out.is_kept:
                await _fit_json(out, room, cut, keep)
    for out, cut in zip(outputs, cuts, strict=True):
        if len(cut) > 1:
            out.json["cut"] = [cut]


def shares(sizes: Sequence[int], kept: Sequence[bool], limit: int) -> list[int]:
    """How much of `limit` each block may have: its size, or an equal part of what the shorter ones leave."""
    found = list(sizes)
    left = limit - sum(size for size, is_kept in zip(sizes, kept, strict=True) if is_kept)
    others = sorted((index for index, is_kept in enumerate(kept) if not is_kept), key=sizes.__getitem__)
    for place, index in enumerate(others):
        found[index] = min(sizes[index], max(left, 0) // (len(others) - place))
        left -= found[index]
    return found


def trimmed(value: Any, limit: int) -> Any:
    """A copy of a JSON value with at most about `limit` characters: long texts end early, long lists too.

    Keys stay; whatever is short stays as it is.
    """
    if json_size(value) <= limit:
        return value
    if isinstance(value, str):
        text = value
        while text and json_size(text) > limit:  # escapes make it longer than its characters
            text = cut_text(text, min(len(text) - 1, max(int(len(text) * limit / json_size(text)) - 1, 0))).text
        return text + "…"
    if isinstance(value, dict):
        sizes = [json_size(inner) for inner in value.values()]
        overhead = json_size(dict.fromkeys(value, 0))
        rooms = shares(sizes, [False] * len(sizes), limit - overhead)
        return {key: trimmed(inner, room) for (key, inner), room in zip(value.items(), rooms, strict=True)}
    if isinstance(value, list):
        shown: list[Any] = []
        left = limit - 2
        for inner in value:
            size = json_size(inner) + 1
            if size > left:
                break
            shown.append(inner)
            left -= size
        return shown or [trimmed(inner, limit - 2) for inner in value[:1]]
    return value


async def _fit_text(out: Output, room: int, cut: CutJson, keep: Keep) -> None:
    listing = out.listing
    if listing is not None and listing.is_paged:
        out.shorten_listing(lambda: (len(out.text) + 1) / max(room, 1))
        if len(out.text) < room:
            return
    room = max(room - _NOTICE, 0)
    whole = out.whole_text
    where = await _kept(out, ".txt", whole, keep)
    if listing is not None:
        out.shorten_listing(lambda: len(out.text) / max(room, 1))
    beginning = cut_text(out.text, room)
    if listing is not None and not beginning.is_cut:
        shown = f"{len(listing.page.items)} of {len(listing.whole.items)} lines are shown"
    else:
        lines, chars = whole.count("\n") + 1, len(whole)
        shown = f"{beginning.shown_lines} of {lines} lines are shown ({len(beginning.text)} of {chars} characters)"
    out.replace_lines(_closed(beginning))
    if isinstance(where, Path):
        out.line(f"Cut: {shown}. All of it: {where}")
        cut["filePath"] = str(where)
    else:
        out.line(f"Cut: {shown}. The rest could not be kept ({where}); a larger --max-reply-chars shows more.")
        cut["lost"] = where


async def _fit_json(out: Output, room: int, cut: CutJson, keep: Keep) -> None:
    if out.listing is not None and (out.listing.is_paged or out.listing.go_on is not None):
        out.shorten_listing(lambda: json_size(out.json) / max(room, 1))
        if json_size(out.json) <= room:
            return
    where = await _kept(out, ".json", json.dumps(out.json, ensure_ascii=False, indent=1), keep)
    if isinstance(where, Path):
        cut["jsonFilePath"] = str(where)
    else:
        cut["lost"] = where
    out.json = trimmed(out.json, room - _NOTICE)


def _closed(cut: Cut) -> list[str]:
    """The lines that fit; a fence that they end inside is closed: what follows must not look like a part of it."""
    lines = cut.text.split("\n")
    fence = ""
    for line in lines:
        if fence:
            fence = "" if line == fence else fence
        elif found := re.match(r"\s*`{3,}", line):
            fence = found[0]
    return [*lines, fence] if fence else lines


async def _kept(out: Output, ending: str, text: str, keep: Keep) -> Path | str:
    """Where all of it is now, or why it is nowhere."""
    name = re.sub(r"[^a-z0-9]+", "-", out.key.lower()).strip("-") or "reply"
    try:
        return await keep(name + ending, text.encode("utf-8", "replace"))
    except PagelensError as error:
        return shortened(one_line(str(error)), _NOTICE // 2)
