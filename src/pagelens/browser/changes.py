"""What an action changed in its document: controls that came and went, what the page said, where the focus is."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pagelens.browser.input import FEW_UIDS, NAMED
from pagelens.browser.uids import UIDS
from pagelens.browser.world import JsFunction
from pagelens.core.safe_text import one_line
from pagelens.errors import PagelensError, ProtocolError, SessionClosed

if TYPE_CHECKING:
    from collections.abc import Callable

    from pagelens.browser.frame import Frame
    from pagelens.cdp.session import Reply

__all__ = ["ChangeWatch", "Changes", "Named"]

log = logging.getLogger(__name__)

EFFECT_WATCH = JsFunction("pagelens.browser", "js/effect_watch.js", needs=(UIDS,))
EFFECT_SEEN = JsFunction("pagelens.browser", "js/effect_seen.js", needs=(EFFECT_WATCH, NAMED))

#: How long the page may take to compare. Seconds.
LOOK = 0.3


@dataclass(frozen=True, slots=True)
class Named:
    """An element, as messages call it.

    Attributes:
        uid: ``e12``.
        words: ``<button#save> "Save"``, safe to print.
    """

    uid: str
    words: str

    def __str__(self) -> str:
        return f"uid={self.uid} {self.words}"


@dataclass(slots=True)
class Changes:
    """What was found; empty when nothing was.

    Attributes:
        appeared: the first of the controls and surfaces (dialogs, menus) that can be seen now and could not before.
        appeared_count, vanished_count: how many there are in all.
        vanished: the first of those that can't be seen any more, in words.
        said: texts of alerts and live regions that are new.
        focus: where the focus has moved to, when not to what was acted on.
        control: what was acted on, when its state has changed, and the new `state` by name: ``checked``, ``value``,
            ``expanded``, ``pressed``, ``selected``, ``disabled``, ``text``.
        changed: the first of other places whose text has changed, and how many there are.
    """

    appeared: list[Named] = field(default_factory=list)
    appeared_count: int = 0
    vanished: list[str] = field(default_factory=list)
    vanished_count: int = 0
    said: list[str] = field(default_factory=list)
    focus: Named | None = None
    control: Named | None = None
    state: dict[str, str] = field(default_factory=dict)
    changed: list[Named] = field(default_factory=list)
    changed_count: int = 0

    def __bool__(self) -> bool:
        return bool(
            self.appeared_count or self.vanished_count or self.said or self.focus or self.control or self.changed
        )


class ChangeWatch:
    """A look at one frame's document before an action, and one after it."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self._document = frame.document_key
        # Not awaited: what the action itself asks of the page comes after it.
        self._armed = frame.post_call(EFFECT_WATCH)

    @property
    def is_armed(self) -> bool:
        """Whether the document could be looked at, and is still there."""
        frame = self._frame
        return self._armed is not None and not frame.is_detached and frame.document_key == self._document

    async def has_looked(self, stop: Callable[[], bool]) -> None:
        """Wait until the look before the action has been taken."""
        if self._armed is not None:
            loads, armed = self._frame.page.loads, self._armed
            armed.on_done(loads.touch)
            await loads.wait(lambda: armed.done or stop(), LOOK)

    async def seen(self, stop: Callable[[], bool], *, draw: bool, is_late: bool, timeout: float = LOOK) -> Changes:
        """What has changed; nothing when the document is another one, or can't say in time. May be asked again.

        With `draw` after the next frame has been drawn. Afterwards all tasks that were due have run.
        """
        frame = self._frame
        if self._armed is None or not self.is_armed:
            return Changes()
        left = _value(self._armed)
        if isinstance(left, int) and left < FEW_UIDS:
            try:
                await frame.give_uids(FEW_UIDS)
            except PagelensError:
                return Changes()  # its end, which whoever settles sees as well
        reply = frame.post_call(EFFECT_SEEN, draw, is_late)
        if reply is None:
            return Changes()
        loads = frame.page.loads
        reply.on_done(loads.touch)
        await loads.wait(lambda: reply.done or stop(), timeout)
        found = _value(reply)
        return _changes(found) if isinstance(found, dict) else Changes()


def _value(reply: Reply) -> Any:
    if not reply.done or reply.failed:
        return None
    try:
        result = reply.result()
    except (ProtocolError, SessionClosed):
        return None
    if "exceptionDetails" in result:
        log.warning("a look at what an action changed failed: %s", result["exceptionDetails"])
        return None
    return result["result"].get("value")


def _changes(found: dict[str, Any]) -> Changes:
    appeared_count, appeared = found.get("appeared", (0, ()))
    vanished_count, vanished = found.get("vanished", (0, ()))
    changed_count, changed = found.get("changed", (0, ()))
    control, state = found.get("control", (None, {}))
    return Changes(
        appeared=[_named(one) for one in appeared],
        appeared_count=appeared_count,
        vanished=[one_line(words) for words in vanished],
        vanished_count=vanished_count,
        said=[one_line(text) for text in found.get("said", ())],
        focus=_named(found["focus"]) if "focus" in found else None,
        control=_named(control) if control else None,
        state={name: one_line(value) for name, value in state.items()},
        changed=[_named(one) for one in changed],
        changed_count=changed_count,
    )


def _named(one: dict[str, Any]) -> Named:
    return Named(f"e{one['uid']}", one_line(one["words"]))
