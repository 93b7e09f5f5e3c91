"""Reads one frame's document: its lines as the page-side functions write them, before any splicing.

The page side (``js/walk.js``) can't know three things by itself and gets them from Chrome, each only when it is new:
which elements listen for clicks (``DOMDebugger.getEventListeners``), where closed shadow roots are
(``DOM.describeNode``), and which numbers are free (`UidAllocator`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

from pagelens.browser.frame import Frame
from pagelens.browser.uids import UIDS, DocumentKey
from pagelens.browser.world import JsFunction
from pagelens.core.deadlines import SNAPSHOT_SILENCE, SNAPSHOT_WORK
from pagelens.errors import DocumentReplaced, FrameGone, ProtocolError

__all__ = ["FrameReader", "FrameText", "address_of"]

_PACKAGE = "pagelens.snapshot"
_VOCABULARY = JsFunction(_PACKAGE, "js/vocabulary.js", setup=True)
_TEXT = JsFunction(_PACKAGE, "js/text.js", setup=True)
_ELEMENTS = JsFunction(_PACKAGE, "js/elements.js", needs=(_TEXT,), setup=True)
_RECORDS = JsFunction(_PACKAGE, "js/records.js", setup=True)
_CACHES = JsFunction(_PACKAGE, "js/caches.js", setup=True)
_SHARED = (_VOCABULARY, _TEXT, _ELEMENTS, _RECORDS, _CACHES)
_COLLECT = JsFunction(_PACKAGE, "js/collect.js", needs=_SHARED)
_ROLES = JsFunction(_PACKAGE, "js/roles.js", needs=_SHARED)
_INCLUDE = JsFunction(_PACKAGE, "js/include.js", needs=_SHARED)
_NAMES = JsFunction(_PACKAGE, "js/names.js", needs=_SHARED)
_STATES = JsFunction(_PACKAGE, "js/states.js", needs=_SHARED)
_LINES = JsFunction(_PACKAGE, "js/lines.js", needs=(*_SHARED, _STATES))
_PRINT = JsFunction(_PACKAGE, "js/print.js", needs=(UIDS,))
_WALK = JsFunction(_PACKAGE, "js/walk.js", needs=(_COLLECT, _ROLES, _INCLUDE, _NAMES, _LINES, _PRINT))
_RESUME = JsFunction(_PACKAGE, "js/resume.js", needs=(UIDS,))
_MARK_LISTENING = JsFunction(_PACKAGE, "js/mark_listening.js", needs=(_CACHES,))
_CLOSED_CANDIDATES = JsFunction(_PACKAGE, "js/closed_candidates.js", needs=_SHARED)
_ADD_CLOSED_ROOTS = JsFunction(_PACKAGE, "js/add_closed_roots.js", needs=_SHARED)
_ADDRESS_OF = JsFunction(_PACKAGE, "js/address_of.js", needs=(UIDS,))
_KNOWN_UIDS = JsFunction(_PACKAGE, "js/known_uids.js", needs=(UIDS,))

#: Events that make an element clickable when it listens for them.
_CLICKS = frozenset({"click", "dblclick", "mousedown", "mouseup", "pointerdown", "pointerup", "touchend"})
#: So many newly found listeners are looked at in one snapshot; the others in the next ones.
_MOST_LISTENERS = 2000
#: Numbers handed out beyond those needed now, for elements that appear later.
_SPARE_UIDS = 30
#: A document that is replaced again and again while it is read is given up after so many times.
_ATTEMPTS = 3
#: Closed roots in closed roots are followed so deep.
_DEEPEST_ROOTS = 8


@dataclass
class FrameText:
    """What the page side wrote: the document's title, and lines whose bare texts start with ``\\x01``."""

    title: str
    lines: list[str]


@dataclass
class _Known:
    """What was already asked about one document."""

    document: DocumentKey
    context_id: int
    document_object: str = ""  # in the page's own world; empty until asked for
    listeners: set[int] = field(default_factory=set)  # backend node ids
    owners: dict[str, int] = field(default_factory=dict)  # frame id -> uid of its element here


async def address_of(frame: Frame, number: int) -> str:
    """Where the element with the uid ``e{number}`` leads or what it shows, the whole URL; empty when there is none.

    Raises:
        DocumentReplaced, CommandTimeout, DialogOpen, PageCrashed, PageClosed: it can't be asked now.
    """
    address: str = await frame.call(_ADDRESS_OF, number, timeout=SNAPSHOT_SILENCE)
    return address


class FrameReader:
    """Reads frames of one page; remembers between snapshots what it has asked about each document."""

    def __init__(self) -> None:
        self._known: WeakKeyDictionary[Frame, _Known] = WeakKeyDictionary()

    async def read(self, frame: Frame, *, verbose: bool) -> FrameText:
        """The frame's lines, raw: bare texts start with ``\\x01`` after their indentation.

        Raises:
            DocumentReplaced: it navigated each time while it was read. FrameGone: it left the page.
            CommandTimeout, DialogOpen, PageCrashed, PageClosed: it can't be read now.
        """
        for attempt in range(_ATTEMPTS):
            try:
                return await self._read(frame, verbose)
            except FrameGone:
                raise
            except DocumentReplaced:
                if attempt == _ATTEMPTS - 1:
                    raise
        raise AssertionError("unreachable")

    async def _read(self, frame: Frame, verbose: bool) -> FrameText:
        known = await self._known_of(frame)
        await self._mark_listeners(frame, known)
        answer: str = await frame.call(_WALK, verbose, False, timeout=SNAPSHOT_WORK)
        for depth in range(_DEEPEST_ROOTS):
            if not answer.startswith("roots"):
                break
            await self._find_closed_roots(frame, known)
            answer = await frame.call(_WALK, verbose, depth == _DEEPEST_ROOTS - 1, timeout=SNAPSHOT_WORK)
        while answer.startswith("uids "):
            needed = int(answer.removeprefix("uids ")) + _SPARE_UIDS
            numbers = frame.page.host.uids.reserve(needed, known.document)
            answer = await frame.call(_RESUME, numbers.start, numbers.stop - 1, timeout=SNAPSHOT_WORK)
        if answer == "lost":
            raise DocumentReplaced("The document was replaced while it was read.", "Try again.")
        first, *lines = answer.split("\n")
        return FrameText(first.removeprefix("text "), lines)

    async def _known_of(self, frame: Frame) -> _Known:
        document = frame.document_key
        context_id = frame.world_context
        if context_id is None:
            made = frame.create_world()
            await frame.guarded(made, SNAPSHOT_SILENCE)
            context_id = frame.world_made(made)
        known = self._known.get(frame)
        if known is None or known.document != document or known.context_id != context_id:
            known = self._known[frame] = _Known(document, context_id)
        return known

    async def _mark_listeners(self, frame: Frame, known: _Known) -> None:
        if known.document_object == "" and frame.main_context is not None:
            # The object must be of the page's own world: with one of an isolated world Chrome 156 crashes the page
            # at a later garbage collection. `document` can't be replaced by a page.
            evaluated = await frame.guarded(
                frame.session.post("Runtime.evaluate", {"expression": "document", "contextId": frame.main_context}),
                SNAPSHOT_SILENCE,
            )
            known.document_object = evaluated["result"].get("objectId", "")
        if known.document_object == "":
            return
        reply = await frame.guarded(
            frame.session.post(
                "DOMDebugger.getEventListeners", {"objectId": known.document_object, "depth": -1, "pierce": True}
            ),
            SNAPSHOT_SILENCE,
        )
        new = {
            listener["backendNodeId"]
            for listener in reply["listeners"]
            if listener["type"] in _CLICKS and "backendNodeId" in listener
        } - known.listeners
        if not new:
            return
        chosen = sorted(new)[:_MOST_LISTENERS]
        # Nodes of frames inside this one are listed too; they can't be resolved in this frame's world.
        objects = await self._resolve(frame, known, chosen)
        if objects:
            await frame.call_on_all(_MARK_LISTENING, objects.values(), timeout=SNAPSHOT_SILENCE)
            self._release(frame, objects.values())
        known.listeners.update(chosen)

    async def _find_closed_roots(self, frame: Frame, known: _Known) -> None:
        candidates = await frame.call_for_object(_CLOSED_CANDIDATES, timeout=SNAPSHOT_SILENCE)
        listed = await frame.guarded(
            frame.session.post("Runtime.getProperties", {"objectId": candidates, "ownProperties": True}),
            SNAPSHOT_SILENCE,
        )
        hosts = [p["value"]["objectId"] for p in listed["result"] if p["name"].isdecimal() and "value" in p]
        replies = [frame.session.post("DOM.describeNode", {"objectId": host, "pierce": True}) for host in hosts]
        roots: dict[int, str] = {}
        for host, reply in zip(hosts, replies, strict=True):
            node = (await frame.guarded(reply, SNAPSHOT_SILENCE))["node"]
            for root in node.get("shadowRoots", ()):
                if root.get("shadowRootType") == "closed":
                    roots[root["backendNodeId"]] = host
        resolved = await self._resolve(frame, known, list(roots))
        pairs = [object_id for root, root_object in resolved.items() for object_id in (roots[root], root_object)]
        if pairs:
            await frame.call_on_all(_ADD_CLOSED_ROOTS, pairs, timeout=SNAPSHOT_SILENCE)
        self._release(frame, [*hosts, *resolved.values(), *([candidates] if candidates else [])])

    async def owner_uids(self, frame: Frame) -> dict[int, Frame]:
        """Which child frame belongs to which element of `frame`'s snapshot, by the element's uid.

        Frames whose element has no uid (it is not shown) are left out. Errors as in `read`.
        """
        known = await self._known_of(frame)
        children = list(frame.children)
        asked = [child for child in children if child.id not in known.owners]
        replies = [frame.session.post("DOM.getFrameOwner", {"frameId": child.id}) for child in asked]
        nodes: dict[int, Frame] = {}
        for child, reply in zip(asked, replies, strict=True):
            try:
                nodes[(await frame.guarded(reply, SNAPSHOT_SILENCE))["backendNodeId"]] = child
            except ProtocolError:
                continue  # it left the page meanwhile
        objects = await self._resolve(frame, known, list(nodes))
        if objects:
            uids: list[int] = await frame.call_on_all(_KNOWN_UIDS, objects.values(), timeout=SNAPSHOT_SILENCE)
            self._release(frame, objects.values())
            for node, uid in zip(objects, uids, strict=True):
                if uid:
                    known.owners[nodes[node].id] = uid
        return {known.owners[child.id]: child for child in children if child.id in known.owners}

    async def uid_of(self, frame: Frame, node: int) -> int | None:
        """The uid of a node (backend id) of the frame's document, if a snapshot gave it one. Errors as in `read`."""
        objects = await self._resolve(frame, await self._known_of(frame), [node])
        if not objects:
            return None
        uids: list[int] = await frame.call_on_all(_KNOWN_UIDS, objects.values(), timeout=SNAPSHOT_SILENCE)
        self._release(frame, objects.values())
        return uids[0] or None

    async def _resolve(self, frame: Frame, known: _Known, nodes: list[int]) -> dict[int, str]:
        """Remote objects in our world of those of `nodes` (backend ids) that are in the frame's document."""
        replies = [
            frame.session.post("DOM.resolveNode", {"backendNodeId": node, "executionContextId": known.context_id})
            for node in nodes
        ]
        objects: dict[int, str] = {}
        for node, reply in zip(nodes, replies, strict=True):
            try:
                objects[node] = (await frame.guarded(reply, SNAPSHOT_SILENCE))["object"]["objectId"]
            except DocumentReplaced:
                raise
            except ProtocolError:
                continue  # of another frame's document, or gone meanwhile
        return objects

    @staticmethod
    def _release(frame: Frame, objects: Any) -> None:
        for object_id in objects:
            frame.session.post("Runtime.releaseObject", {"objectId": object_id})
