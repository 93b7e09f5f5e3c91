"""Chrome's own accessibility tree as the judge of roles and names, element by element."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from pagelens.browser.page import Page
from pagelens.browser.world import JsFunction
from pagelens.snapshot import frame_reader

__all__ = ["Comparison", "compare"]

_DUMP = JsFunction("tests.snapshot", "js/dump_records.js", needs=(frame_reader._WALK,))
_NO_ELEMENTS = {"InlineTextBox", "StaticText", "ListMarker", "MenuListPopup", "RootWebArea"}
_UNNAMED = {"generic", "paragraph"}


@dataclass
class Comparison:
    """`total` elements that either side has in its tree (boxes without name and meaning left out)."""

    total: int = 0
    explained: dict[str, int] = field(default_factory=dict)
    differences: list[str] = field(default_factory=list)

    @property
    def agreement(self) -> float:
        """Percent of the elements whose role and name are equal, or differ in one of the explained ways."""
        return 100.0 * (1 - len(self.differences) / self.total) if self.total else 100.0


def _folded(text: str) -> str:
    return re.sub(r"[\s\u200b\ufeff]+", " ", text).strip()


def _elements(document: dict[str, Any]) -> list[dict[str, Any]]:
    """All elements in document order, those of open shadow roots before their host's children."""
    found: list[dict[str, Any]] = []
    stack = [node for node in document["children"] if node["nodeType"] == 1]
    while stack:
        node = stack.pop()
        found.append(node)
        roots = [root for root in node.get("shadowRoots", ()) if root["shadowRootType"] == "open"]
        children = [child for parent in (*roots, node) for child in parent.get("children", ())]
        stack += [child for child in reversed(children) if child["nodeType"] == 1]
    return found


def _explanation(tag: str, chrome: tuple[str, str], ours: tuple[str, str]) -> str:
    """Why a difference is no fault of ours; empty when it may be one."""
    (chrome_role, chrome_name), (our_role, our_name) = chrome, ours
    if tag == "input" and (chrome_role, our_role, our_name) == ("", "button", "Choose File"):
        return "hidden file inputs are listed"
    if tag == "input" and chrome_role == "" and our_role == "button":
        return "hidden file inputs are listed"
    if chrome_role != our_role:
        return ""
    if "Unable to play media." in chrome_name:
        return "text inside the browser's own media controls"
    if chrome_name.replace(" ", "") == our_name.replace(" ", ""):
        return "white space where a line wraps or beside a hidden node"
    if len(chrome_name) > 300 and len(our_name) > 300:
        return "Chrome ends a name after about 100 nodes"
    if chrome_name == "" and tag in ("input", "textarea"):
        return "an empty label does not win over the placeholder"
    if chrome_name == "" and tag == "a":
        return "a title names a link of white space"
    return ""


async def compare(page: Page) -> Comparison:
    """Compare the main frame's records with Chrome's tree."""
    session = page.session
    document = (await session.send("DOM.getDocument", {"depth": -1, "pierce": True}, timeout=30))["root"]
    elements = _elements(document)
    rows = json.loads(await page.main_frame.call(_DUMP, timeout=30))
    assert [node["localName"] for node in elements] == [row[0] for row in rows]
    tree = (await session.send("Accessibility.getFullAXTree", {}, timeout=60))["nodes"]
    chrome: dict[int, tuple[str, str]] = {}
    for node in tree:
        role = "" if node.get("ignored") else node["role"]["value"]
        if role and role not in _NO_ELEMENTS and "backendDOMNodeId" in node:
            chrome.setdefault(node["backendDOMNodeId"], (role, _folded(node.get("name", {}).get("value", ""))))
    result = Comparison()
    for element, (tag, our_role, our_name) in zip(elements, rows, strict=True):
        theirs = chrome.get(element["backendNodeId"], ("", ""))
        ours = (our_role, _folded(our_name))
        if all(role in ("", "LineBreak") or (role in _UNNAMED and name == "") for role, name in (theirs, ours)):
            continue
        result.total += 1
        if theirs == ours:
            continue
        if why := _explanation(tag, theirs, ours):
            result.explained[why] = result.explained.get(why, 0) + 1
        else:
            result.differences.append(f"<{tag}> Chrome {theirs!r:.200} ours {ours!r:.200}")
    return result
