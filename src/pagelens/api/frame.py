"""Frames of pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pagelens.api.element import Element
from pagelens.browser.element import find_element, find_elements
from pagelens.browser.values import evaluate_value
from pagelens.core.deadlines import TOOL
from pagelens.errors import ElementNotFound, InvalidInput

if TYPE_CHECKING:
    from pagelens.api.page import Page
    from pagelens.browser.element import Element as EngineElement
    from pagelens.browser.frame import Frame as EngineFrame

__all__ = ["Frame"]


class Frame:
    """A frame of a page: one document at a time, in the page's own process or another one."""

    def __init__(self, page: Page, frame: EngineFrame) -> None:
        self._page = page
        self._engine = frame

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Frame) and other._engine is self._engine

    def __hash__(self) -> int:
        return hash(self._engine)

    def __repr__(self) -> str:
        return f"<Frame {self.url[:80]!r} of {self._page}>"

    @property
    def page(self) -> Page:
        """The page it belongs to."""
        return self._page

    @property
    def url(self) -> str:
        """The document's address."""
        return self._engine.url

    @property
    def name(self) -> str:
        """The frame element's name at the time of the last navigation."""
        return self._engine.name

    @property
    def parent(self) -> Frame | None:
        """The frame that holds it, None for the main frame."""
        parent = self._engine.parent
        return None if parent is None else self._page._frame(parent)

    @property
    def children(self) -> list[Frame]:
        """The frames inside it, in the order they appeared."""
        return [self._page._frame(child) for child in self._engine.children]

    @property
    def is_main(self) -> bool:
        """Whether it is the page's main frame."""
        return self._engine.is_main

    @property
    def is_detached(self) -> bool:
        """Whether it has left the page for good."""
        return self._engine.is_detached

    async def evaluate(self, source: str, *args: Any, timeout: float = TOOL) -> Any:
        """As `Page.evaluate`, in this frame."""
        given: list[Element] = []

        def as_element(value: object) -> int | None:
            if not isinstance(value, Element):
                return None
            if value.page is not self._page:
                raise InvalidInput(f"{value.uid} is an element of another page.", "Look it up on this page.")
            if value._frame is not self._engine:
                raise InvalidInput(
                    f"{value.uid} is an element of another frame, which no script of this one reaches.",
                    "Evaluate in its own frame: element.evaluate(…), or element.frame.evaluate(…).",
                )
            if value not in given:
                given.append(value)
            return given.index(value)

        async def elements() -> list[EngineElement]:
            return [await element._hold() for element in given]

        await self._page._ready()
        return await evaluate_value(
            self._engine,
            source,
            args,
            timeout=timeout,
            as_element=as_element,
            elements=elements,
            make_element=lambda frame, number: Element(self._page, frame, number),
        )

    async def element(self, target: str) -> Element:
        """As `Page.element`; a selector is looked for in this frame only.

        Raises:
            ElementNotFound: the uid belongs to another frame; and what `Page.element` raises.
        """
        engine = self._page._engine
        await self._page._ready()
        found = await find_element(engine, target, frames=[self._engine])
        try:
            number = await found.uid_number()
        finally:
            await found.release()
        if found.frame is not self._engine:
            raise ElementNotFound(
                f"{target.strip()} is not in this frame, but in {found.frame.url[:200]}.",
                "Ask the page.",
            )
        return Element(self._page, self._engine, number)

    async def elements(self, selector: str) -> list[Element]:
        """As `Page.elements`, in this frame only."""
        await self._page._ready()
        found = await find_elements(self._page._engine, selector, frames=[self._engine])
        return [Element(self._page, frame, number) for frame, number in found]
