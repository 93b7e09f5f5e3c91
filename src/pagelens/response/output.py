"""Where a section writes: lines of text, and JSON beside them."""

from __future__ import annotations

from typing import Any

__all__ = ["Output"]


class Output:
    """Text and JSON of one section, filled side by side from the same data.

    Whoever writes here has already made page text safe (`pagelens.core.safe_text`).

    Attributes:
        lines: the text, in order.
        json: keys of the structured reply.
        images: pictures that follow the text: (bytes, media type).
        failed: what the section was to show could not be shown; the reply becomes an error.
    """

    __slots__ = ("failed", "images", "json", "lines")

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.json: dict[str, Any] = {}
        self.images: list[tuple[bytes, str]] = []
        self.failed = False

    def heading(self, text: str) -> None:
        """Start a block: `## Pages`."""
        self.lines.append(f"## {text}")

    def line(self, text: str) -> None:
        """Add one line."""
        self.lines.append(text)

    def block(self, text: str) -> None:
        """Add text that has lines of its own."""
        self.lines.extend(text.split("\n"))

    def add(self, other: Output) -> None:
        """Append another section's output to this one."""
        self.lines += other.lines
        failed = self.json.get("failedSections", []) + other.json.get("failedSections", [])
        self.json.update(other.json)
        if failed:
            self.json["failedSections"] = failed
        self.images += other.images
        self.failed = self.failed or other.failed

    @property
    def text(self) -> str:
        """All lines."""
        return "\n".join(self.lines)
