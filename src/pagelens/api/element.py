"""Elements of pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pagelens.browser.box import box_of
from pagelens.core.deadlines import COMMAND, TOOL
from pagelens.errors import InvalidInput

if TYPE_CHECKING:
    from pagelens.api.effects import Effect
    from pagelens.api.frame import Frame
    from pagelens.api.page import Page
    from pagelens.browser.element import Element as EngineElement
    from pagelens.browser.fill import FillValue
    from pagelens.browser.frame import Frame as EngineFrame
    from pagelens.browser.input import MouseButton
    from pagelens.browser.screenshot import ImageFormat, Screenshot
    from pagelens.browser.scroll import ScrollReport

__all__ = ["Box", "Element"]


@dataclass(frozen=True, slots=True)
class Box:
    """Where an element is, in CSS pixels of its frame's viewport."""

    x: float
    y: float
    width: float
    height: float


class Element:
    """One element of a page, for as long as it lives.

    It is known by its uid, the one that snapshots show. From its first `evaluate` or `box` on, it is also held by
    reference, so that it can be asked even after the page has taken it out of its document; `dispose` lets go.
    """

    def __init__(self, page: Page, frame: EngineFrame, number: int) -> None:
        self._page = page
        self._frame = frame
        self._number = number
        self._held: tuple[EngineElement, object] | None = None
        self._is_disposed = False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Element) and (other._page, other._number) == (self._page, self._number)

    def __hash__(self) -> int:
        return hash((self._page, self._number))

    def __repr__(self) -> str:
        return f"<Element {self.uid} of {self._page}>"

    @property
    def uid(self) -> str:
        """Its name in snapshots and tools: ``e12``."""
        return f"e{self._number}"

    @property
    def page(self) -> Page:
        """The page it is in."""
        return self._page

    @property
    def frame(self) -> Frame:
        """The frame it is in."""
        return self._page._frame(self._frame)

    async def click(
        self,
        *,
        button: MouseButton = "left",
        count: int = 1,
        modifiers: Sequence[str] = (),
        timeout: float = COMMAND,
    ) -> Effect:
        """Click it; see `Page.click`."""
        return await self._page.click(self._target(), button=button, count=count, modifiers=modifiers, timeout=timeout)

    async def fill(self, value: FillValue) -> Effect:
        """Replace what it holds; see `Page.fill`."""
        return await self._page.fill(self._target(), value)

    async def upload(self, paths: Path | str | Sequence[Path | str]) -> Effect:
        """Give it files; see `Page.upload`."""
        return await self._page.upload(self._target(), paths)

    async def hover(self, *, timeout: float = COMMAND) -> Effect:
        """Move the mouse over it; see `Page.hover`."""
        return await self._page.hover(self._target(), timeout=timeout)

    async def scroll(self, *, x: float = 0, y: float = 0) -> ScrollReport:
        """Turn the wheel over it; without a distance, bring it into view. See `Page.scroll`."""
        return await self._page.scroll(self._target(), x=x, y=y)

    async def drag_to(self, target: Element | str, *, timeout: float = COMMAND) -> Effect:
        """Drag it onto another one; see `Page.drag`."""
        return await self._page.drag(self._target(), target, timeout=timeout)

    async def screenshot(
        self, *, path: Path | str | None = None, format: ImageFormat | None = None, quality: int | None = None
    ) -> Screenshot:
        """A picture of it; see `Page.screenshot`."""
        return await self._page.screenshot(self._target(), path=path, format=format, quality=quality)

    async def evaluate(self, function: str, *args: Any, timeout: float = TOOL) -> Any:
        """Call a JavaScript function with it as the first argument, then `args`; see `Page.evaluate`."""
        return await self.frame.evaluate(function, self, *args, timeout=timeout)

    async def box(self) -> Box | None:
        """Where it is, None while it is not drawn.

        Raises:
            ElementGone, FrameGone, PageClosed, PageCrashed, DialogOpen: it can't be asked.
        """
        found = await box_of(await self._hold())
        return None if found is None else Box(*found)

    async def dispose(self) -> None:
        """Let go of it: the page may forget it. Its methods raise `InvalidInput` from now on. Idempotent."""
        self._is_disposed = True
        held, self._held = self._held, None
        if held is not None:
            await held[0].release()

    def _target(self) -> str:
        """Its uid, for what finds elements by name."""
        if self._is_disposed:
            raise InvalidInput(f"The element {self.uid} has been disposed of.", "Look it up again: page.element(…).")
        return self.uid

    async def _hold(self) -> EngineElement:
        """It by reference: as held, when its document is still there; else looked up by its uid."""
        target = self._target()
        await self._page._ready()
        document = self._frame.document_key
        if self._held is not None and self._held[1] == (document, self._frame.session):
            return self._held[0]
        element = await self._page._engine.element(target)
        self._held = (element, (document, self._frame.session))
        return element
