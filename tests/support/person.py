"""What a person does on ``tests/fixtures/input_page.html``, by hand (xdotool) and by our engine."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pagelens.browser.input import click, press_key
from pagelens.browser.page import Page
from pagelens.browser.pointer import drag, hover
from pagelens.browser.type_text import type_text

__all__ = ["EVENTS", "PAGE", "SCENES", "Scene"]

_FIXTURES = Path(__file__).parents[1] / "fixtures"
#: The page on which it is done, and what it saw of a person.
PAGE = _FIXTURES / "input_page.html"
EVENTS = _FIXTURES / "input_events.json"


@dataclass(frozen=True)
class Scene:
    """One thing that is done, from the mouse over ``#park`` and the focus nowhere.

    Attributes:
        by_hand: xdotool commands; ``@id`` stands for ``mousemove`` to the middle of that element.
        by_us: the same by our engine.
    """

    by_hand: Sequence[str]
    by_us: Callable[[Page], Awaitable[object]]


async def _typed(page: Page, text: str, *keys: str) -> None:
    await click(page, "css=#text")
    await type_text(page, text)
    for key in keys:
        await press_key(page, key)


async def _focused(page: Page, target: str, *keys: str) -> None:
    await click(page, target)
    for key in keys:
        await press_key(page, key)


SCENES: Mapping[str, Scene] = {
    "hover": Scene(["@button"], lambda page: hover(page, "css=#button")),
    "click": Scene(["@button click 1"], lambda page: click(page, "css=#button")),
    "double click": Scene(["@button click --repeat 2 --delay 20 1"], lambda page: click(page, "css=#button", count=2)),
    "right click": Scene(["@button click 3"], lambda page: click(page, "css=#button", button="right")),
    "middle click": Scene(["@button click 2"], lambda page: click(page, "css=#button", button="middle")),
    "click with Shift": Scene(
        ["keydown shift", "@button click 1", "keyup shift"],
        lambda page: click(page, "css=#button", modifiers=["Shift"]),
    ),
    "click a link": Scene(["@link click 1"], lambda page: click(page, "css=#link")),
    "click a check box": Scene(["@box click 1"], lambda page: click(page, "css=#box")),
    "double click a word": Scene(
        ["@area click --repeat 2 --delay 20 1"], lambda page: click(page, "css=#area", count=2)
    ),
    "type and leave": Scene(["@text click 1", "key a", "key b", "key Tab"], lambda page: _typed(page, "ab", "Tab")),
    "type and send": Scene(["@text click 1", "key x", "key Return"], lambda page: _typed(page, "x", "Enter")),
    "correct": Scene(["@text click 1", "key x", "key BackSpace"], lambda page: _typed(page, "x", "Backspace")),
    "type capitals": Scene(
        ["@text click 1", "key a", "keydown shift key b key c keyup shift", "key d", "keydown shift key 1 keyup shift"],
        lambda page: _typed(page, "aBCd!"),
    ),
    "press a capital": Scene(["@text click 1", "keydown shift key b keyup shift"], lambda page: _typed(page, "", "B")),
    "replace all": Scene(
        ["@area click 1", "keydown ctrl key a keyup ctrl", "key Delete"],
        lambda page: _focused(page, "css=#area", "Control+A", "Delete"),
    ),
    "space on a button": Scene(["@button click 1", "key space"], lambda page: _focused(page, "css=#button", "Space")),
    "back with Shift and Tab": Scene(
        ["@text click 1", "keydown shift key Tab keyup shift"], lambda page: _focused(page, "css=#text", "Shift+Tab")
    ),
    "drag with the mouse": Scene(
        ["@button mousedown 1", *["mousemove_relative 0 6"] * 2, *["mousemove_relative 0 23"] * 6, "mouseup 1"],
        lambda page: drag(page, "css=#button", "css=#link"),
    ),
}
