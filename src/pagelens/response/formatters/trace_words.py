"""How replies call what a trace speaks of: elements, requests, places in scripts, times and sizes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pagelens.context.trace_names import TraceNames
from pagelens.core.safe_text import one_line, shortened

if TYPE_CHECKING:
    from pagelens.analysis.trace import PageLoad
    from pagelens.collectors.source_mapper import Place

__all__ = ["TraceWords", "ms", "nodes_in", "places_in", "size_text"]

#: Characters of an address, of an element's or function's name.
URL_CHARS = 80
NAME_CHARS = 60


def ms(value: float) -> str:
    """Milliseconds; those below ten with a decimal."""
    return f"{value:,.0f} ms" if value >= 9.95 or value == 0 else f"{value:.1f} ms"


def size_text(size: float) -> str:
    """Bytes in kB or MB."""
    if size < 1_000:
        return f"{size:,.0f} B"
    return (
        f"{size / 1e3:,.1f} kB"
        if size < 100_000
        else f"{size / 1e3:,.0f} kB"
        if size < 1e6
        else f"{size / 1e6:,.1f} MB"
    )


class TraceWords:
    """Words for what was in one navigation of a trace.

    Args:
        load: the navigation: addresses of its origin are told from the path on.
        names: what is known of the page now.
    """

    def __init__(self, load: PageLoad, names: TraceNames) -> None:
        self.load = load
        self.names = names
        self._origin = _origin(load.url)

    def url(self, url: str) -> str:
        """An address, as short as it is clear."""
        if url.startswith("data:"):
            return shortened(one_line(url), 30)
        if self._origin and url.startswith(self._origin + "/"):
            url = url[len(self._origin) :]
        return shortened(one_line(url), URL_CHARS)

    def request(self, url: str, id_: str) -> str:
        """A request: ``reqid=4 /a.css``."""
        reqid = self.names.reqids.get(id_)
        return f"reqid={reqid} {self.url(url)}" if reqid is not None else self.url(url)

    def node(self, node_id: int, name: str = "") -> str:
        """An element: ``uid=e12 <img#hero>``."""
        uid = self.names.uids.get(node_id)
        name = self.names.words.get(uid or 0, name)
        name = shortened(one_line(name), NAME_CHARS)
        return f"uid=e{uid} {name}".rstrip() if uid is not None else name

    def function(self, row: Mapping[str, Any]) -> str:
        """A function and where it is from: ``build src/app.ts:12:3``; its name by its map, where that has one."""
        url, line, column = str(row.get("url") or ""), row.get("line") or 0, row.get("column") or 0
        mapped = self.names.sources.get((url, line, column))
        name = shortened(one_line(str(row.get("name") or "")), NAME_CHARS) or "(anonymous)"
        if mapped is not None:
            return f"{name} {self.url(mapped.source)}:{mapped.line}:{mapped.column}"
        if not url:
            return name
        return f"{name} {self.url(url)}" + (f":{line}:{column}" if line else "")

    def ids(self, figures: Any) -> Any:
        """A copy of an insight's figures, for JSON: with ``uid``, ``reqid`` and ``original`` beside what they name."""
        if isinstance(figures, Mapping):
            found = {one_line(str(key)): self.ids(value) for key, value in figures.items()}
            if isinstance(node := figures.get("nodeId"), int) and (uid := self.names.uids.get(node)) is not None:
                found["uid"] = f"e{uid}"
            if isinstance(id_ := figures.get("id"), str) and (reqid := self.names.reqids.get(id_)) is not None:
                found["reqid"] = reqid
            place = _place(figures)
            if place is not None and (mapped := self.names.sources.get(place)) is not None:
                found["original"] = {"url": one_line(mapped.source), "line": mapped.line, "column": mapped.column}
            return found
        if isinstance(figures, str):
            return shortened(one_line(figures), 4_000)
        if isinstance(figures, Sequence):
            return [self.ids(value) for value in figures]
        return round(figures, 3) if isinstance(figures, float) else figures


def nodes_in(figures: Any) -> Iterator[int]:
    """Chrome's numbers of all elements that an insight names."""
    for part in _parts(figures):
        if isinstance(node := part.get("nodeId"), int):
            yield node


def places_in(figures: Any) -> Iterator[Place]:
    """All places in scripts that an insight names."""
    for part in _parts(figures):
        if (place := _place(part)) is not None:
            yield place


def _place(part: Mapping[str, Any]) -> Place | None:
    url, line, column = part.get("url"), part.get("line"), part.get("column")
    if isinstance(url, str) and isinstance(line, int) and isinstance(column, int) and line > 0:
        return url, line, column
    return None


def _parts(figures: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(figures, Mapping):
        yield figures
        for value in figures.values():
            yield from _parts(value)
    elif isinstance(figures, Sequence) and not isinstance(figures, str):
        for value in figures:
            yield from _parts(value)


def _origin(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""
