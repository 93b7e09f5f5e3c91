"""What holds an object, in words: ``held by `cache` in closure `attach` at app.js:41``."""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pagelens.analysis.heap.filters import is_context_name
from pagelens.analysis.heap.kernels import NONE

if TYPE_CHECKING:
    from pagelens.analysis.heap.snapshot import HeapSnapshot
    from pagelens.analysis.heap.views import HeapEdge

__all__ = ["Holder", "Words"]

#: Natives of the browser's that say how something is held.
_MEANS = (
    (re.compile(r"^(?:V8|JS|JSEventHandlerFor)?\w*Event(?:Listener|Handler)\w*$"), "an event listener"),
    (re.compile(r"^(?:DOMTimer|ScheduledAction)$"), "a timer (setTimeout or setInterval)"),
    (re.compile(r"^(?:MutationObserver|V8MutationCallback)\b"), "a MutationObserver"),
    (re.compile(r"^(?:IntersectionObserver|V8IntersectionObserverCallback)\b"), "an IntersectionObserver"),
    (re.compile(r"^(?:ResizeObserver|V8ResizeObserverCallback)\b"), "a ResizeObserver"),
    (re.compile(r"^(?:PerformanceObserver|V8PerformanceObserverCallback)\b"), "a PerformanceObserver"),
    (re.compile(r"^(?:MessagePort|BroadcastChannel|WebSocket|EventSource|Worker|XMLHttpRequest)$"), ""),
    (re.compile(r"^(?:FrameRequestCallbackCollection|V8FrameRequestCallback)\b"), "an animation frame"),
    (re.compile(r"^system / PromiseReaction"), "a promise that is not settled"),
    (re.compile(r"^V8\w*(?:Callback|Function)$"), "a callback of the browser's"),
)
#: The end of names of edges to what the console, or we, have asked for.
_CONSOLE = " / DevTools console"
#: Steps of a path that are shown, and steps up to what is named.
_MOST_STEPS = 40
_MOST_NAMED = 4


@dataclass(frozen=True, slots=True)
class Holder:
    """What holds a group of objects.

    Attributes:
        key: the same for objects that are held by the same thing in the same way.
        words: ``held by …``.
        place: the node that lasts.
    """

    key: tuple[object, ...]
    words: str
    place: int


class Words:
    """Says what holds the objects of one snapshot."""

    def __init__(self, snapshot: HeapSnapshot) -> None:
        self._snapshot = snapshot
        self._graph = snapshot.graph
        self._names = snapshot.names
        self._places: dict[int, tuple[int, int]] | None = None
        self._makers: dict[int, int] | None = None

    def name(self, place: int) -> str:
        """What an object is, in a few words; of a function also where it is."""
        node = self._snapshot.at(place)
        if node.type == "closure":
            where = self._where(place)
            inner = f" in `{maker}`" if not node.raw_name and (maker := self._made_in(place)) else ""
            name = f"function `{node.raw_name}`" if node.raw_name else "function"
            return f"{name}{inner}{where}"
        if node.type in ("string", "concatenated string", "sliced string"):
            return "string"
        name = node.class_name if node.type == "native" else node.name
        return "detached " + name.removeprefix("Detached ") if name.startswith("Detached ") else name

    def holder(self, place: int, new: Set[int]) -> Holder | None:
        """What holds an object: the first thing above it that is not new, and what that is called.

        None: only the engine or the console holds it, or nothing does.
        """
        path = self._snapshot.at(place).shortest_path
        if not path or any(edge.name.endswith(_CONSOLE) for edge in path[:3]):
            return None
        steps = list(reversed(path))
        at = next((index for index, edge in enumerate(steps) if edge.source.place not in new), None)
        if at is None:
            return None
        # Backing stores are exchanged as they grow: what has one is the holder.
        while at < len(steps) - 1 and self._is_inner(steps[at].source.place):
            at += 1
        if any(edge.source.type == "object shape" for edge in steps[: at + 1]):
            return None  # the name of a property, say
        means = self._means(steps)
        last = steps[at].source.place
        if means is None and not self._is_named(steps):
            return None
        words = self._held(steps, at, means)
        shape = (means or "", last if means is None else words)
        return Holder(shape, words, last)

    def path(self, place: int) -> tuple[str, ...]:
        """The shortest path from the page's roots to an object, a step each."""
        steps = [
            f"{self._shown(edge.source.place)} {self._edge(edge)}"
            for edge in self._snapshot.at(place).shortest_path
            if not (self._is_engines_root(edge.source.place) or edge.source.raw_name.startswith(("blink::", "cppgc::")))
        ]
        if len(steps) > _MOST_STEPS:
            cut = len(steps) - _MOST_STEPS
            steps[_MOST_STEPS // 2 : -(_MOST_STEPS // 2)] = [f"… {cut} steps …"]
        return (*steps, self._shown(place))

    # -- what holds it -------------------------------------------------------------------------------

    def _means(self, steps: list[HeapEdge]) -> str | None:
        """How the browser holds it, when that is nearer than anything with a name."""
        kind: str | None = None
        for edge in steps:
            if self._tells(edge):
                return None
            name = edge.source.raw_name
            if kind is None:
                kind = next((words or name for pattern, words in _MEANS if pattern.match(name)), None)
            elif kind == "a callback of the browser's":
                # What calls it back is further up.
                better = next((words or name for pattern, words in _MEANS if pattern.match(name)), kind)
                if better != kind:
                    return better
            if kind is not None and kind != "a callback of the browser's":
                return kind
        return kind

    def _tells(self, edge: HeapEdge) -> bool:
        """Whether an edge is one that a person would name: a property or a variable."""
        if edge.type not in ("property", "context") or edge.name == "__proto__":
            return False
        return not edge.source.raw_name.startswith(("system / NativeContext", "(")) and edge.source.type != "hidden"

    def _is_named(self, steps: list[HeapEdge]) -> bool:
        return any(self._tells(edge) for edge in steps) or any(
            edge.source.raw_name.startswith(("<", "Window", "HTMLDocument")) for edge in steps
        )

    def _held(self, steps: list[HeapEdge], at: int, means: str | None) -> str:
        if means is not None:
            owner = next((name for edge in steps if (name := self._event_target(edge.source.place))), "")
            on = f" of {owner}" if owner and means == "an event listener" else ""
            return f"held by {means}{on}"
        named = [edge for edge in steps[at:] if self._tells(edge)]
        direct = steps[at] if self._tells(steps[at]) else None
        container = steps[at].source.place
        if direct is not None and direct.type == "property" and len(named) > 1 and self._is_dictionary(direct):
            named = named[1:]  # one of many properties: what the list of them is called says more
        elif direct is not None:
            container = direct.target.place
        parts = [self._reference(edge) for edge in named[:_MOST_NAMED]]
        if not parts:
            node = next(
                (edge.source for edge in steps if edge.source.raw_name.startswith(("<", "Window", "HTMLDocument"))),
                None,
            )
            if node is None:
                return f"held by {self._shown(container)}"
            return "held by the document" if node.raw_name.startswith(("Window", "HTML")) else f"held by {node.name}"
        kind = self._snapshot.at(container).raw_name
        of_kind = f" ({kind})" if kind in ("Array", "Map", "Set", "WeakMap", "Object") else ""
        first = parts[0].replace("` ", f"`{of_kind} ", 1) if of_kind else parts[0]
        return "held by " + ", ".join([first, *parts[1:]])

    def _reference(self, edge: HeapEdge) -> str:
        source = edge.source
        if edge.type == "context":
            return f"`{edge.name}` {self._closure_of(source.place)}"
        if source.raw_name.startswith("Window"):
            return f"`{edge.name}` of window"
        if source.type == "closure":
            return f"`{edge.name}` of function `{source.raw_name}`"
        return f"`{edge.name}` of {self._shown(source.place)}"

    def _is_dictionary(self, edge: HeapEdge) -> bool:
        source = edge.source
        return source.raw_name == "Object" and source.edge_count > 4

    def _closure_of(self, context: int) -> str:
        """Whose variables a context holds."""
        info = self._names.internal_target(context, "scope_info")
        if info == NONE:
            return "in a closure"
        maker = self._makers_by_scope().get(info)
        called = self._scope_name(info)
        if maker is not None:
            return f"in closure `{called or 'anonymous'}`{self._where(maker)}"
        if called:
            return f"in closure `{called}`"
        if self._names.raw(context).startswith("system / Context / block"):
            return "in a block"
        return "in a script" if self._is_script(context) else "in a closure"

    def _is_script(self, context: int) -> bool:
        return any(edge.source.raw_name.startswith("system / ScriptContextTable") for edge in self._retaining(context))

    def _retaining(self, place: int) -> list[HeapEdge]:
        return self._snapshot.at(place).retainers[:50]

    def _made_in(self, closure: int) -> str:
        """The name of the function in which a function was made, as far as it has variables."""
        context = self._names.internal_target(closure, "context")
        if context == NONE or not is_context_name(self._names.raw(context)):
            return ""
        info = self._names.internal_target(context, "scope_info")
        return "" if info == NONE else self._scope_name(info)

    def _scope_name(self, info: int) -> str:
        """The name of the function whose variables a ScopeInfo describes."""
        name = self._names.internal_target(info, "function_name")
        if name != NONE:
            return self._names.node(name)
        maker = self._makers_by_scope().get(info)
        return "" if maker is None else self._names.raw(maker)

    def _makers_by_scope(self) -> dict[int, int]:
        """By ScopeInfo: a function whose variables it describes."""
        if self._makers is None:
            self._makers = {}
            closure = self._graph.layout.node["closure"]
            for place in range(self._graph.node_count):
                if self._graph.node_types[place] != closure:
                    continue
                shared = self._names.internal_target(place, "shared")
                info = NONE if shared == NONE else self._names.internal_target(shared, "name_or_scope_info")
                if info != NONE:
                    self._makers.setdefault(info, place)
        return self._makers

    def _where(self, closure: int) -> str:
        """`` at app.js:41``, where V8 knows it."""
        places = self._locations()
        if closure not in places:
            return ""
        shared = self._names.internal_target(closure, "shared")
        script = NONE if shared == NONE else self._names.internal_target(shared, "script")
        if script == NONE:
            return ""
        url = self._names.raw(script).removeprefix("system / Script").removeprefix(" / ")
        file = re.sub(r"[?#].*", "", url).rstrip("/").rsplit("/", 1)[-1]
        return f" at {file or 'script'}:{places[closure][0] + 1}"

    def _locations(self) -> dict[int, tuple[int, int]]:
        if self._places is None:
            found: Any = self._graph.locations
            self._places = (
                {}
                if found is None
                else {
                    int(place): (int(line), int(column))
                    for place, line, column in zip(found.objects, found.lines, found.columns, strict=True)
                }
            )
        return self._places

    # -- words for nodes and edges -------------------------------------------------------------------

    def _is_inner(self, place: int) -> bool:
        """Whether a node is a part of another that a person would name: a backing store, a hidden thing."""
        node = self._snapshot.at(place)
        if node.type in ("array", "hidden", "object shape", "code"):
            return True
        return node.raw_name.startswith(("blink::", "cppgc::", "system / PropertyArray", "system / ScriptContextTable"))

    def _is_engines_root(self, place: int) -> bool:
        node = self._snapshot.at(place)
        return node.type == "synthetic" or node.raw_name.startswith("system / NativeContext")

    def _event_target(self, place: int) -> str:
        name = self._names.raw(place)
        if name.startswith("Window"):
            return "window"
        if name.startswith(("<", "Detached <", "HTMLDocument", "#document")):
            return self._snapshot.at(place).class_name
        return ""

    def _shown(self, place: int) -> str:
        node = self._snapshot.at(place)
        if is_context_name(node.raw_name):
            return f"variables {self._closure_of(place)}".replace("variables in", "variables of")
        if node.raw_name.startswith("Window"):
            return "window"
        if node.type == "closure":
            return self.name(place)
        return node.name or f"({node.type})"

    def _edge(self, edge: HeapEdge) -> str:
        if edge.type in ("property", "context"):
            return f".{edge.name} →"
        if edge.type == "element" and edge.source.type in ("object", "array"):
            return f"[{edge.name}] →"
        return "→"
