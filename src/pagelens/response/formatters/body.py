"""The body of a request or response for a reader: a range of its text, or why there is none."""

from __future__ import annotations

import codecs
from typing import NotRequired, TypedDict

from pagelens.collectors.bodies import Body
from pagelens.core.safe_text import fenced, safe_block

__all__ = ["BodyFormatter", "BodyJson", "body_text"]

_TEXT_TYPES = ("json", "xml", "javascript", "ecmascript", "x-www-form-urlencoded", "graphql", "csv", "yaml")


class BodyJson(TypedDict):
    """A body. `size` in bytes; `text` holds characters `offset` to `end` of `totalChars`.

    `isBinary` without `text`: it is no text. `isComplete` false: the rest is still to come, or never came.
    `missing`: why there is none. `filePath`: the file it was written to.
    """

    size: NotRequired[int]
    text: NotRequired[str]
    offset: NotRequired[int]
    end: NotRequired[int]
    totalChars: NotRequired[int]
    isBinary: NotRequired[bool]
    isComplete: NotRequired[bool]
    filePath: NotRequired[str]
    missing: NotRequired[str]


def body_text(data: bytes, mime_type: str = "", charset: str = "") -> str | None:
    """The body as text, None when it is none.

    By the charset of the headers, else UTF-8 (UTF-16 with its mark); bytes that are no text in it become U+FFFD where
    the media type promises text.
    """
    mime = mime_type.lower()
    promised = mime.startswith("text/") or any(kind in mime for kind in _TEXT_TYPES)
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        charset = charset or "utf-16"
    try:
        return data.decode(charset or "utf-8-sig", "replace" if promised and charset else "strict")
    except UnicodeDecodeError:
        return data.decode("utf-8-sig", "replace") if promised and b"\0" not in data[:1000] else None
    except LookupError:
        return data.decode("utf-8-sig", "replace") if promised else None


class BodyFormatter:
    """Shows one body.

    Args:
        title: what it is: ``Request body``.
        body: the body; None when it is missing.
        missing: why, then.
        mime_type, charset: as the headers say.
        offset, limit: the range of its text, in characters.
        file_path: where it was written; then it is not shown.
        parameter: the parameter that writes it to a file.
    """

    def __init__(
        self,
        title: str,
        body: Body | None,
        *,
        missing: str = "",
        mime_type: str = "",
        charset: str = "",
        offset: int = 0,
        limit: int = 10_000,
        file_path: str | None = None,
        parameter: str = "responseFilePath",
    ) -> None:
        self._title = title
        self._body = body
        self._missing = missing
        self._text: str | None = None
        self._offset = offset
        self._limit = limit
        self._file = file_path
        self._parameter = parameter
        if body is not None and file_path is None:
            text = body_text(body.data, mime_type, charset)
            # A NUL makes it no text for a reader, whatever it decodes to.
            self._text = None if text is None or "\0" in text[:10_000] else text

    def to_string(self) -> str:
        """A title line with the size and range, then the text."""
        body = self._body
        if body is None:
            return f"{self._title}: {self._missing}"
        size = f"{len(body.data):,} bytes{'' if body.is_complete else ' so far, not all of it'}"
        if self._file is not None:
            return f"{self._title}: {size}, written to {self._file}"
        if self._text is None:
            return f"{self._title}: {size}, binary (not shown; {self._parameter} writes it to a file)"
        if not self._text:
            return f"{self._title}: empty" if body.is_complete else f"{self._title}: nothing has come yet"
        if self._start >= len(self._text):
            return f"{self._title}: {len(self._text):,} characters; bodyOffset {self._offset:,} is behind its end"
        shown = self._text[self._start : self._end]
        title = f"{self._title} ({size})"
        if len(shown) < len(self._text):
            title += f", characters {self._start:,}-{self._end:,} of {len(self._text):,}"
            if self._end < len(self._text):
                title += f" (bodyOffset {self._end} shows more, {self._parameter} writes all to a file)"
        return f"{title}:\n{fenced(safe_block(shown))}"

    def to_json(self) -> BodyJson:
        """The same as data."""
        body = self._body
        if body is None:
            return {"missing": self._missing}
        found: BodyJson = {"size": len(body.data)}
        if not body.is_complete:
            found["isComplete"] = False
        if self._file is not None:
            found["filePath"] = self._file
        elif self._text is None:
            found["isBinary"] = True
        else:
            found["text"] = safe_block(self._text[self._start : self._end])
            found["offset"] = self._start
            found["end"] = self._end
            found["totalChars"] = len(self._text)
        return found

    @property
    def _start(self) -> int:
        return min(self._offset, len(self._text or ""))

    @property
    def _end(self) -> int:
        return min(self._start + self._limit, len(self._text or ""))
