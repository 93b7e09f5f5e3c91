"""Where a press of the mouse lands, as the page side sees it."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from pagelens.browser.world import JsFunction
from pagelens.errors import DialogOpen, DocumentReplaced, ElementError, PageClosed

if TYPE_CHECKING:
    from pagelens.browser.frame import Frame
    from pagelens.cdp.session import Session

__all__ = ["PressWatch"]

DISARM_CLICK = JsFunction("pagelens.browser", "js/disarm_click.js")

#: How long the verdict on a press may take after the last answer to the input. Seconds.
VERDICT = 0.1

_BINDING = "pagelensClick"
_tokens = itertools.count(1)
_bound: WeakSet[Session] = WeakSet()


class PressWatch:
    """Hears from the page side where a press would land; aim with its `token` (``js/guard_click.js``).

    Attributes:
        token: marks the messages of this watch.
        lands: the verdict; None until there is one.
        coverer: what was there instead.
    """

    def __init__(self, frame: Frame) -> None:
        session = frame.session
        self._frame = frame
        self._loads = frame.page.loads
        self.token = f"{next(_tokens)}"
        self.lands: bool | None = None
        self.coverer: dict[str, Any] | None = None
        self.end = session.on("Runtime.bindingCalled", self._called)
        if session not in _bound:
            _bound.add(session)
            # In our world only, in all its documents from now on: the page can't see it.
            world = frame.page.host.world_name
            session.post("Runtime.addBinding", {"name": _BINDING, "executionContextName": world})

    async def verdict(self) -> bool | None:
        """The verdict on a press that has been answered; None when the page side never saw the press."""
        if self.lands is None:
            # Answers to input and messages from the page take different ways.
            await self._loads.wait(lambda: self.lands is not None, VERDICT)
        return self.lands

    async def disarm(self) -> None:
        """Let the presses that come next go where they land."""
        try:
            await self._frame.call(DISARM_CLICK)
        except (DialogOpen, PageClosed, DocumentReplaced, ElementError):
            pass  # what it would have watched is gone, or held

    def _called(self, event: dict[str, Any]) -> None:
        if event["name"] != _BINDING:
            return
        verdict = json.loads(event["payload"])
        if verdict["token"] == self.token:
            self.lands = verdict["lands"]
            self.coverer = verdict["coverer"]
            self._loads.touch()
