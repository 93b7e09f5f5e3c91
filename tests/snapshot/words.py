"""Whether all words that a page shows are in its snapshot."""

from __future__ import annotations

import re
import unicodedata

from pagelens.browser.page import Page
from pagelens.browser.world import JsFunction
from pagelens.snapshot import frame_reader

__all__ = ["missing_words"]

_SHOWN = JsFunction("tests.snapshot", "js/shown_text.js", needs=frame_reader._SHARED)
_WORD = re.compile(r"\w+")


async def missing_words(page: Page, text: str) -> tuple[list[str], int]:
    """The words that a reader sees in any frame and that `text`, a snapshot, lacks; and how many there are in all."""
    # Letters of formulas are drawn as other letters, of mathematics.
    said = frozenset(_WORD.findall(unicodedata.normalize("NFKC", text)))
    missing: list[str] = []
    count = 0
    for frame in page.main_frame.subtree():
        if not frame.is_main and not await _is_shown(page, frame.id):
            continue
        shown: str = await frame.call(_SHOWN, timeout=20)
        words = [word for word in _WORD.findall(unicodedata.normalize("NFKC", shown)) if word.strip("_")]
        count += len(words)
        missing += [word for word in words if word not in said and not _is_joined(word, said)]
    return missing, count


async def _is_shown(page: Page, frame_id: str) -> bool:
    """Whether the frame's element has a box: what is in a frame that is not shown nobody sees. Frames that are hidden
    from accessibility are not read."""
    frame = next(frame for frame in page.main_frame.subtree() if frame.id == frame_id)
    parent = frame.parent
    assert parent is not None
    owner = await parent.session.send("DOM.getFrameOwner", {"frameId": frame_id})
    node = await parent.session.send("DOM.resolveNode", {"backendNodeId": owner["backendNodeId"]})
    answer = await parent.session.send(
        "Runtime.callFunctionOn",
        {
            "objectId": node["object"]["objectId"],
            "functionDeclaration": "function() { return this.checkVisibility({visibilityProperty: true})"
            " && this.offsetWidth > 1 && this.offsetHeight > 1 && !this.closest('[aria-hidden=true]') }",
            "returnByValue": True,
        },
    )
    return bool(answer["result"]["value"]) and (parent.is_main or await _is_shown(page, parent.id))


def _is_joined(word: str, said: frozenset[str]) -> bool:
    """Whether `word` is words of ours in a row: ``innerText`` puts nothing between neighbours in one line."""
    return any(word[:n] in said and (word[n:] in said or _is_joined(word[n:], said)) for n in range(1, len(word)))
