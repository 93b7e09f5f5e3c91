"""How long a reply may get. What is cut is said, with the way to all of it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["MAX_REPLY_CHARS", "Cut", "cut_text"]

#: Characters of one long block. MCP clients refuse replies of more than about 25,000 tokens, and the
#: text of pages (markup, URLs, numbers) has about three characters a token.
MAX_REPLY_CHARS = 75_000


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
    """As many whole lines of `text` as fit into `limit` characters."""
    total_lines = text.count("\n") + 1
    if len(text) <= limit:
        return Cut(text, total_lines, total_lines, len(text))
    end = text.rfind("\n", 0, limit + 1)
    shown = text[: end if end > 0 else limit]
    return Cut(shown, shown.count("\n") + 1, total_lines, len(text))
