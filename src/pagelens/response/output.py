"""Where a section writes: lines of text, and JSON beside them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from pagelens.response.encoding import Encoder
from pagelens.response.listing import Listing

__all__ = ["Output", "json_size"]


class Output:
    """Text and JSON of one section, filled side by side from the same data.

    Whoever writes here has already made page text safe (`pagelens.core.safe_text`).

    Args:
        key: the section's name.
        encoder: how listings are written; None for plain text.

    Attributes:
        json: keys of the structured reply.
        images: pictures that follow the text: (bytes, media type).
        failed: what the section was to show could not be shown; the reply becomes an error.
        is_kept: never cut for want of room. For what is short by itself.
        listing: the items it shows, when it is a list.
    """

    __slots__ = ("_parts", "encoder", "failed", "images", "is_kept", "json", "key", "listing")

    def __init__(self, key: str = "", encoder: Encoder | None = None) -> None:
        self.key = key
        self.encoder = encoder
        self.json: dict[str, Any] = {}
        self.images: list[tuple[bytes, str]] = []
        self.failed = False
        self.is_kept = False
        self.listing: Listing[Any] | None = None
        # Lines as they are; None stands for the listing.
        self._parts: list[str | None] = []

    # -- writing -------------------------------------------------------------------------------------

    def heading(self, text: str) -> None:
        """Start a block: `## Pages`."""
        self._parts.append(f"## {text}")

    def line(self, text: str) -> None:
        """Add one line."""
        self._parts.append(text)

    def block(self, text: str) -> None:
        """Add text that has lines of its own."""
        self._parts.extend(text.split("\n"))

    def items(self, listing: Listing[Any]) -> None:
        """Add the items of a list, at most once; text and JSON both."""
        assert self.listing is None, f"{self.key} has two lists"
        self.listing = listing
        self._parts.append(None)
        self.json |= listing.json()

    # -- reading -------------------------------------------------------------------------------------

    @property
    def lines(self) -> list[str]:
        """The text, in order."""
        shown = self.listing.lines(self.encoder) if self.listing is not None else []
        return self._lines(shown)

    @property
    def text(self) -> str:
        """All lines."""
        return "\n".join(self.lines)

    @property
    def whole_text(self) -> str:
        """All lines in plain text, also those of a list that are not shown, unless another page of it has them."""
        listing = self.listing
        if listing is None:
            return "\n".join(self._lines([]))
        return "\n".join(self._lines(listing.lines(None) if listing.is_paged else listing.whole_lines()))

    def _lines(self, items: list[str]) -> list[str]:
        found: list[str] = []
        for part in self._parts:
            if part is not None:
                found.append(part)
            else:
                found += items
        return found

    # -- for want of room ----------------------------------------------------------------------------

    def shorten_listing(self, excess: Callable[[], float]) -> None:
        """Show fewer items, one at least, until `excess` (how many times too long all of this is) is at most 1."""
        listing = self.listing
        assert listing is not None
        while (times := excess()) > 1 and (shown := len(listing.page.items)) > 1:
            size = max(1, min(shown - 1, int(shown / times * 0.97)))
            # A round number: it is asked for again, and the next page may have longer items.
            listing.shorten(size - size % 10 if size > 20 else size)
            self.json |= listing.json()

    def shorten_before_encoding(self, limit: int) -> None:
        """Show no more items than have about `limit` characters in plain text: encoders are slow, it is cut anyway."""
        listing = self.listing
        if self.encoder is None or listing is None:
            return
        chars = sum(map(len, listing.lines(None)))
        if chars > limit:
            listing.shorten(max(1, len(listing.page.items) * limit // chars))
            self.json |= listing.json()

    def replace_lines(self, lines: list[str]) -> None:
        """Put other text in place of all there is."""
        self._parts = list(lines)

    def add(self, other: Output) -> None:
        """Append another section's output to this one."""
        self._parts += other.lines
        lists = {key: self.json.get(key, []) + other.json.get(key, []) for key in ("failedSections", "cut")}
        self.json.update(other.json)
        self.json |= {key: value for key, value in lists.items() if value}
        self.images += other.images
        self.failed = self.failed or other.failed


def json_size(value: Any) -> int:
    """Characters of a value as JSON."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
