"""What grows each time something is done: three snapshots in, leaks out, and in words what holds each of them.

An object is *new* in a snapshot that an earlier one does not have. Of the new ones only those count that are of the
page's making: what V8 and the browser keep for themselves (maps, code, backing stores, contexts of closures) is seen
through. A new object that dominates others stands for them, too. What the same old object holds in the same way is one
group; a group is a leak when it got new objects both times, no fewer than the action was done, and not in place of
others that went.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pagelens.analysis.heap.numbers import CompiledNumbers
from pagelens.analysis.heap.retained_by import Holder, Words

if TYPE_CHECKING:
    from pagelens.analysis.heap.snapshot import HeapSnapshot

__all__ = ["Leak", "find_leaks"]

#: Types of nodes that a page makes; `native` are its DOM nodes and what else of the browser has an object of its own.
_KINDS = ("object", "closure", "regexp", "string", "concatenated string", "sliced string", "symbol", "bigint", "native")
_STRINGS = ("string", "concatenated string", "sliced string")
#: Longest walks up a dominator tree, for damaged or endless ones.
_MOST_STEPS = 100_000
#: Kinds of objects that are named of a leak.
_MOST_CONTENTS = 6


@dataclass(frozen=True, slots=True)
class Leak:
    """Objects that one holder gets more of each time.

    Attributes:
        name: what they are, e.g. ``detached <ol>`` or ``function at app.js:22``.
        count: how many of them came in both rounds together; ``first`` in the one, ``second`` in the other.
        retained_size: bytes that they keep alive in the last snapshot.
        contents: what they hold that also grew: name and number, the most first.
        held_by: what holds them, in words.
        path: the shortest path to one of them from the page's roots, a step each.
        node_id: that one, in the last snapshot.
        holder_id: the object that lasts and holds them all.
    """

    name: str
    count: int
    first: int
    second: int
    retained_size: int
    contents: tuple[tuple[str, int], ...]
    held_by: str
    path: tuple[str, ...]
    node_id: int
    holder_id: int

    def __str__(self) -> str:
        with_them = ", ".join(f"{count:,} {name}" for name, count in self.contents)
        return f"{self.count:,} {self.name}{f' (with {with_them})' if with_them else ''}, {self.held_by}"


@dataclass(slots=True)
class _Group:
    holder: Holder
    tops: set[int] = field(default_factory=set)
    #: By kind of object: how many came in the first and in the second round.
    kinds: tuple[Counter[str], Counter[str]] = field(default_factory=lambda: (Counter(), Counter()))


def find_leaks(snapshots: Sequence[HeapSnapshot], repeats: int = 1) -> list[Leak]:
    """The leaks that three snapshots of one page show, those that retain most first.

    Args:
        snapshots: the action was done `repeats` times between each two of them, and at least once before the first, so
            that what is made only once is in all of them. Chrome must have remembered objects' ids all the while.
    """
    before, between, after = snapshots
    return _Search(before, between, after, repeats).leaks()


class _Search:
    def __init__(self, before: HeapSnapshot, between: HeapSnapshot, after: HeapSnapshot, repeats: int) -> None:
        self._after = after
        self._repeats = max(1, repeats)
        self._words = Words(after)
        ids = [_ids(snapshot) for snapshot in (before, between, after)]
        self._new = _places(after, ids[0])
        self._second = _places(after, ids[1])
        self._kind: dict[int, str] = {}
        self._tops: dict[int, int] = {}
        # What went away between two snapshots: a cache that drops one for each that it takes does not grow.
        self._gone = (
            Counter(_kind(before, place) for place in _counting(before, _places(before, ids[1]))),
            Counter(_kind(between, place) for place in _counting(between, _places(between, ids[2]))),
        )
        came = Counter(_kind(between, place) for place in _counting(between, _places(between, ids[0])))
        self._came_first = came

    def leaks(self) -> list[Leak]:
        """See `find_leaks`."""
        counting = _counting(self._after, self._new)
        self._counting = set(counting)
        groups: dict[tuple[object, ...], _Group] = {}
        of_top: dict[int, _Group] = {}
        for place in counting:
            top = self._top(place)
            group = of_top.get(top)
            if group is None:
                holder = self._words.holder(top, self._new)
                if holder is None:
                    continue  # the engine's own, or ours
                key = (holder.key, _kind(self._after, top))
                group = groups.setdefault(key, _Group(holder))
                of_top[top] = group
            group.tops.add(top)
            group.kinds[1 if place in self._second else 0][_kind(self._after, place)] += 1
        found = [self._leak(group) for group in groups.values() if self._grows(group)]
        found.sort(key=lambda leak: -leak.retained_size)
        return found

    def _grows(self, group: _Group) -> bool:
        first, second = group.kinds
        return any(
            first[kind] >= self._repeats
            and second[kind] >= self._repeats
            and second[kind] > self._gone[1][kind]
            and self._came_first[kind] > self._gone[0][kind]
            for kind in second
        )

    def _top(self, place: int) -> int:
        """The highest new object above this one that nothing old stands between."""
        top = place
        at = place
        way: list[int] = []
        dominator, root = self._after.graph.dominator, self._after.graph.root
        for _ in range(_MOST_STEPS):
            if at in self._tops:
                top = self._tops[at]
                break
            if at in self._counting:
                top = at
                way.append(at)
            at = int(dominator[at])
            if at == root or at not in self._new:
                break
        for met in way:
            self._tops[met] = top
        return top

    def _leak(self, group: _Group) -> Leak:
        after = self._after
        tops = sorted(group.tops, key=lambda top: (-int(after.graph.retained_sizes[top]), top))
        second = sum(1 for top in tops if top in self._second)
        name = self._words.name(tops[0])
        kinds = group.kinds[0] + group.kinds[1]
        kinds[_kind(after, tops[0])] -= len(tops)
        contents = [(kind, count) for kind, count in kinds.most_common() if count > 0]
        # What a page has a name for says more than strings and lists.
        contents.sort(key=lambda item: (item[0] in _PLAIN, -item[1]))
        return Leak(
            name=name,
            count=len(tops),
            first=len(tops) - second,
            second=second,
            retained_size=sum(int(after.graph.retained_sizes[top]) for top in tops),
            contents=tuple(contents[:_MOST_CONTENTS]),
            held_by=group.holder.words,
            path=self._words.path(tops[0]),
            node_id=int(after.graph.ids[tops[0]]),
            holder_id=int(after.graph.ids[group.holder.place]),
        )


_PLAIN = ("string", "Array", "Object", "function")


def _ids(snapshot: HeapSnapshot) -> frozenset[int]:
    ids = snapshot.graph.ids
    return frozenset(ids.tolist() if isinstance(snapshot.graph.numbers, CompiledNumbers) else ids)


def _places(snapshot: HeapSnapshot, known: frozenset[int]) -> set[int]:
    """The nodes whose ids are not known."""
    ids = snapshot.graph.ids
    flat = ids.tolist() if isinstance(snapshot.graph.numbers, CompiledNumbers) else ids
    return {place for place, one in enumerate(flat) if one not in known}


def _counting(snapshot: HeapSnapshot, places: Iterable[int]) -> list[int]:
    """Of these nodes, those that a page makes, in file order."""
    graph = snapshot.graph
    wanted = {number for number, name in enumerate(graph.layout.node_types) if name in _KINDS}
    native = graph.layout.node["native"]
    return [
        place
        for place in sorted(places)
        if int(graph.node_types[place]) in wanted
        and graph.self_sizes[place]
        and is_pages_own(snapshot.names.raw(place), is_native=int(graph.node_types[place]) == native)
    ]


def is_pages_own(name: str, *, is_native: bool) -> bool:
    """Whether an object of this name is of a page's making, and not the engine's for its own use."""
    if name.startswith(("system / ", "blink::", "cppgc::", "(")):
        return False
    # DOM nodes are native; so is much of the browser's that stands behind an object of the page's.
    return not is_native or name.removeprefix("Detached ").startswith(("<", "#"))


def _kind(snapshot: HeapSnapshot, place: int) -> str:
    """What an object is, in a word or two, the same in all snapshots."""
    graph = snapshot.graph
    kind = graph.layout.node_types[int(graph.node_types[place])]
    if kind in _STRINGS:
        return "string"
    if kind == "closure":
        return snapshot.names.raw(place) or "function"
    name = snapshot.names.node(place)
    if kind == "native":
        detached = "detached " if name.startswith("Detached ") else ""
        name = name.removeprefix("Detached ")
        return detached + (name.split(" ", 1)[0].rstrip(">") + ">" if name.startswith("<") else name)
    return name
