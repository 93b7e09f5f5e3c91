"""Source maps: from a place in a generated script back to the source it was made from.

The format is that of ECMA-426 (https://tc39.es/ecma426/): version 3, with ``sections``, ``sourceRoot``, ``ignoreList``.
A reader of our own: what there is to do fits on a page, and the one kept library has no wheel for Windows.
"""

from __future__ import annotations

import json
import re
import string
from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise
from typing import Any
from urllib.parse import urljoin

__all__ = ["MAX_MAP_BYTES", "Mapped", "SourceMap", "SourceMapError", "source_map_url"]

#: A larger map is not read. Bytes.
MAX_MAP_BYTES = 64 * 1024 * 1024

_DIGITS = {digit: value for value, digit in enumerate(string.ascii_uppercase + string.ascii_lowercase + "0123456789+/")}
_COMMENT = re.compile(r"""(?:^|\n)[^\S\n]*(?://|/\*)[#@]\s*sourceMappingURL=([^\s'"]+)""")
#: How far from its end a script is searched for the comment, in characters: an inline map is part of it.
_TAIL = 4_000


class SourceMapError(ValueError):
    """The bytes are no source map; the message says why."""


@dataclass(frozen=True, slots=True)
class Mapped:
    """A place in a source.

    Attributes:
        source: its address, resolved.
        line, column: counted from 1.
        name: the identifier that was there before it was shortened; empty when the map does not say.
        is_ignored: whether the map lists the source as somebody else's (a framework's).
    """

    source: str
    line: int
    column: int
    name: str = ""
    is_ignored: bool = False


def source_map_url(script: str, headers: dict[str, str] | None = None) -> str | None:
    """Where a script says its map is: its ``SourceMap`` header, else its last comment; None when it does not say.

    As the script writes it: relative to the script, or a ``data:`` URL.
    """
    for name, value in (headers or {}).items():
        if name.lower() in ("sourcemap", "x-sourcemap") and value.strip():
            return value.strip()
    at = max(script.rfind("sourceMappingURL="), 0)
    # Only a comment near the end counts: anything may stand in a string.
    found = None
    for match in _COMMENT.finditer(script, max(at - 200, 0)):
        found = match
    if found is None:
        return None
    rest = script[found.end() :]
    return found[1].removesuffix("*/") if len(rest) < _TAIL and not rest.strip().strip("*/") else None


class SourceMap:
    """One map. The mappings are decoded when the first place is asked for, which takes about a second for 3 MB of them.

    Args:
        data: the map as it came, JSON.
        url: its address, which sources are relative to; of an inline one that of its script.

    Raises:
        SourceMapError: it is none.
    """

    def __init__(self, data: bytes | str, url: str) -> None:
        text = data.decode("utf-8", "replace") if isinstance(data, bytes) else data
        if text.startswith(")]}"):
            text = text.partition("\n")[2]  # a guard against inclusion as a script
        try:
            found = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise SourceMapError(f"it is no JSON ({error})") from error
        if not isinstance(found, dict):
            raise SourceMapError("it is no JSON object")
        self._parts: list[tuple[tuple[int, int], _Part]] = []
        sections = found.get("sections")
        if isinstance(sections, list):
            for section in sections:
                offset = section.get("offset", {}) if isinstance(section, dict) else {}
                inner = section.get("map") if isinstance(section, dict) else None
                if isinstance(inner, dict) and isinstance(offset, dict):
                    self._parts.append(
                        ((_number(offset.get("line")), _number(offset.get("column"))), _Part(inner, url))
                    )
        else:
            self._parts.append(((0, 0), _Part(found, url)))
        self._parts.sort(key=lambda part: part[0])

    @property
    def sources(self) -> list[str]:
        """The addresses of all sources, resolved."""
        return [source for _, part in self._parts for source in part.sources]

    def sizes(self, script: str) -> dict[str, int]:
        """How many characters of the generated script come from each source.

        Raises:
            SourceMapError: its mappings are damaged.
        """
        lines = script.split("\n")
        sizes: dict[str, int] = {}
        for at, ((first_line, first_column), part) in enumerate(self._parts):
            last_line = self._parts[at + 1][0][0] if at + 1 < len(self._parts) else len(lines)
            for number, (columns, targets) in enumerate(part.lines()):
                line = first_line + number
                if line >= len(lines) or line > last_line:
                    break
                shift = first_column if number == 0 else 0
                ends = [*(column + shift for column in columns[1:]), len(lines[line])]
                for column, end, target in zip(columns, ends, targets, strict=False):
                    if target is not None and 0 <= target[0] < len(part.sources):
                        source = part.sources[target[0]]
                        sizes[source] = sizes.get(source, 0) + max(min(end, len(lines[line])) - column - shift, 0)
        return sizes

    def locate(self, line: int, column: int) -> Mapped | None:
        """The source of a place in the generated script; all counted from 1. None when the map does not cover it.

        Raises:
            SourceMapError: its mappings are damaged.
        """
        line, column = line - 1, column - 1
        starts = [start for start, _ in self._parts]
        index = bisect_right(starts, (line, column)) - 1
        if index < 0:
            return None
        (first_line, first_column), part = self._parts[index]
        return part.locate(line - first_line, column - first_column if line == first_line else column)


class _Part:
    """A map without sections."""

    def __init__(self, found: dict[str, Any], url: str) -> None:
        if found.get("version") != 3:
            raise SourceMapError(f"its version is {found.get('version')!r}, not 3")
        mappings = found.get("mappings", "")
        if not isinstance(mappings, str):
            raise SourceMapError("its mappings are no text")
        self._mappings = mappings
        root = found.get("sourceRoot") or ""
        root = root if isinstance(root, str) else ""
        sources = found.get("sources")
        self.sources = [
            _resolved(url, root, source if isinstance(source, str) else "")
            for source in (sources if isinstance(sources, list) else [])
        ]
        names = found.get("names")
        self._names: list[Any] = names if isinstance(names, list) else []
        ignored = found.get("ignoreList", found.get("x_google_ignoreList"))
        self._ignored = (
            frozenset(item for item in ignored if isinstance(item, int)) if isinstance(ignored, list) else ()
        )
        self._lines: list[_Line] | None = None

    def lines(self) -> list[_Line]:
        if self._lines is None:
            self._lines = _decoded(self._mappings)
            self._mappings = ""
        return self._lines

    def locate(self, line: int, column: int) -> Mapped | None:
        lines = self.lines()
        if not 0 <= line < len(lines):
            return None
        columns, targets = lines[line]
        index = bisect_right(columns, column) - 1
        target = targets[index] if index >= 0 else None
        if target is None:
            return None
        source, source_line, source_column, name = target
        if not 0 <= source < len(self.sources):
            return None
        named = self._names[name] if 0 <= name < len(self._names) else ""
        return Mapped(
            self.sources[source],
            source_line + 1,
            source_column + 1,
            named if isinstance(named, str) else "",
            source in self._ignored,
        )


#: Of a generated line: the columns at which segments start, and for each (source, line, column, name or -1) or None.
_Line = tuple[list[int], list[tuple[int, int, int, int] | None]]


def _decoded(mappings: str) -> list[_Line]:
    lines: list[_Line] = []
    digits = _DIGITS
    source = source_line = source_column = name = 0
    for line in mappings.split(";"):
        column = 0
        columns: list[int] = []
        targets: list[tuple[int, int, int, int] | None] = []
        for segment in line.split(",") if line else ():
            fields: list[int] = []
            value = shift = 0
            try:
                for character in segment:
                    digit = digits[character]
                    value |= (digit & 31) << shift
                    if digit & 32:
                        shift += 5
                        if shift > 60:
                            raise SourceMapError("a number in its mappings has no end")
                    else:
                        fields.append(-(value >> 1) if value & 1 else value >> 1)
                        value = shift = 0
            except KeyError as error:
                raise SourceMapError(f"there is {error.args[0]!r} in its mappings") from None
            count = len(fields)
            if count == 0:
                continue
            column += fields[0]
            target = None
            if count >= 4:
                source += fields[1]
                source_line += fields[2]
                source_column += fields[3]
                if count >= 5:
                    name += fields[4]
                target = (source, source_line, source_column, name if count >= 5 else -1)
            columns.append(column)
            targets.append(target)
        if any(later < before for before, later in pairwise(columns)):
            order = sorted(range(len(columns)), key=columns.__getitem__)
            columns = [columns[index] for index in order]
            targets = [targets[index] for index in order]
        lines.append((columns, targets))
    return lines


def _resolved(url: str, root: str, source: str) -> str:
    if root and not root.endswith("/"):
        root += "/"
    base = "" if url.startswith("data:") else url
    try:
        return urljoin(base, root + source)
    except ValueError:
        return root + source  # an address that is none


def _number(value: object) -> int:
    return value if isinstance(value, int) and value >= 0 else 0
