"""Chrome's own accessibility tree as the judge of roles, names, states, values and descriptions, element by element.

What is compared: all elements that either side has in its tree, missing and extra ones counted as differences. Left
out are boxes that are nothing on both sides but an unnamed generic or paragraph, and line breaks. Where the roles
agree, each state, value and description that either side states is one fact more. Differences of the kinds that
``docs/snapshot.md`` lists are counted apart, by name.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import pytest

from pagelens.browser.frame import Frame
from pagelens.browser.page import Page
from pagelens.browser.world import JsFunction
from pagelens.snapshot import frame_reader
from pagelens.snapshot.text_snapshot import TextSnapshot

__all__ = ["Comparison", "compare", "marked"]

_DUMP = JsFunction("tests.snapshot", "js/dump_records.js", needs=(frame_reader._WALK,))
_NO_ELEMENTS = {"InlineTextBox", "StaticText", "ListMarker", "MenuListPopup", "RootWebArea"}
_UNNAMED = {"generic", "paragraph"}

Facts = dict[str, str]


@dataclass
class Comparison:
    """`total` elements and `facts` that either side states of those whose role is the same."""

    total: int = 0
    explained: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)
    facts: int = 0
    facts_explained: Counter[str] = field(default_factory=Counter)
    facts_differences: list[str] = field(default_factory=list)

    def __add__(self, other: Comparison) -> Comparison:
        return Comparison(
            self.total + other.total,
            self.explained + other.explained,
            self.differences + other.differences,
            self.facts + other.facts,
            self.facts_explained + other.facts_explained,
            self.facts_differences + other.facts_differences,
        )

    @property
    def agreement(self) -> float:
        """Percent of the elements whose role and name are equal, those that differ in an explained way left out."""
        return _percent(len(self.differences), self.total - self.explained.total())

    @property
    def raw_agreement(self) -> float:
        """The same with everything counted."""
        return _percent(len(self.differences) + self.explained.total(), self.total)

    @property
    def facts_agreement(self) -> float:
        """Percent of the facts that are equal, those that differ in an explained way left out."""
        return _percent(len(self.facts_differences), self.facts - self.facts_explained.total())

    @property
    def is_good(self) -> bool:
        """98 % of elements and of facts, or at most 3 that differ on pages of fewer than 150."""
        return (self.agreement >= 98 or (self.total < 150 and len(self.differences) <= 3)) and (
            self.facts_agreement >= 98 or (self.facts < 150 and len(self.facts_differences) <= 3)
        )


def _percent(wrong: int, total: int) -> float:
    return 100.0 * (1 - wrong / total) if total else 100.0


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
    """Why a difference of role or name is no fault of ours; empty when it may be one."""
    (chrome_role, chrome_name), (our_role, our_name) = chrome, ours
    if tag == "input" and chrome_role == "" and our_role == "button":
        return "hidden file inputs are listed"
    if chrome_role == "generic" and our_role in ("option", "treeitem", "listitem") and chrome_name in ("", our_name):
        return "the role of an item outside of its container is kept"
    if chrome == ("image", "") and our_role == "" and tag != "img":
        return "elements that a style sheet turns into a picture"
    if chrome_role.startswith("MathML") and our_role == "":
        return "the parts of a formula"
    if chrome_role != our_role:
        return ""
    if our_role == "generic" and our_name == "":
        return "a box without a role that has the focus is not named by all that is in it"
    if "Unable to play media." in chrome_name:
        return "text inside the browser's own media controls"
    if chrome_name.replace(" ", "") == our_name.replace(" ", ""):
        return "white space where a line wraps or beside a hidden node"
    if len(chrome_name) > 120 and chrome_name[:90].split(" ")[:-1] == our_name[:90].split(" ")[:-1]:
        return "Chrome ends a name after about 100 nodes"
    if chrome_name == "" and tag in ("input", "textarea"):
        return "an empty label does not win over the placeholder"
    if chrome_name == "" and tag == "a":
        return "a title names a link of white space"
    return ""


# -- states, values, descriptions --------------------------------------------------------------------------

_SAID = re.compile(r'([a-z]+)(?:="((?:\\.|[^"\\])*)"|=(\S+))?')
#: What only our lines say.
_OURS_ALONE = ("box", "clickable", "hidden", "current", "editable", "active", "scrollable", "offscreen")
#: Nothing is said where the orientation is the one that such a thing has anyway.
_ORIENTATION = {
    **dict.fromkeys(("listbox", "menu", "scrollbar", "tree", "treegrid"), "vertical"),
    **dict.fromkeys(("menubar", "separator", "slider", "tablist", "toolbar"), "horizontal"),
}
_RANGES = {"slider", "scrollbar", "progressbar", "meter", "spinbutton", "separator"}


def _our_facts(said: str, focusable: bool) -> Facts:
    facts: Facts = {}
    for name, quoted, bare in _SAID.findall(said):
        facts[name] = re.sub(r"\\(.)", r"\1", quoted) or bare or "true"
    for name in _OURS_ALONE:
        facts.pop(name, None)
    if "haspopup" in facts and facts["haspopup"] == "true":
        facts["haspopup"] = "menu"
    if focusable:
        facts["focusable"] = "true"
    return facts


def _chrome_facts(tag: str, role: str, node: dict[str, Any]) -> Facts:
    stated = {p["name"]: str(p["value"].get("value", "")) for p in node.get("properties", ())}
    facts: Facts = {}

    def put(name: str, value: str) -> None:
        if value not in ("", "0", "false", "False"):
            facts[name] = "true" if value in ("True", "1") and name != "level" else value

    for name in ("checked", "pressed", "disabled", "selected", "required", "readonly", "focused", "busy", "modal"):
        put(name, stated.get(name, ""))
    for name in ("multiselectable", "invalid", "level", "roledescription"):
        put(name, stated.get(name, ""))
    # Every select opens a menu, every combobox a list.
    if tag != "select":
        if "expanded" in stated:
            put("expanded" if stated["expanded"] == "True" else "collapsed", "true")
        if role != "combobox" or stated.get("hasPopup") != "listbox":
            put("haspopup", stated.get("hasPopup", ""))
    if stated.get("orientation") != _ORIENTATION.get(role):
        put("orientation", stated.get("orientation", ""))
    if tag != "option":
        put("focusable", stated.get("focusable", ""))
    for name in ("value", "description"):
        if text := _folded(str(node.get(name, {}).get("value", ""))):
            facts[name] = text
    return facts


def _same(name: str, theirs: str, ours: str) -> bool:
    if theirs == ours:
        return True
    if name == "value":
        try:
            return abs(float(theirs) - float(ours)) < 1e-6
        except ValueError:
            return False
    return False


def _why(name: str, tag: str, element: tuple[str, str], theirs: str, ours: str) -> str:
    """Why a fact that differs is no fault of ours; empty when it may be one. `element` is role and name."""
    role, own_name = element
    if name == "description" and ours == "" and theirs.casefold() in own_name.casefold():
        return "a description that says what the name says is left out"
    if name == "level" and ours == "" and role in ("listitem", "treeitem"):
        return "levels that count how deep an item is nested"
    if name == "disabled" and ours == "" and role in ("PluginObject", "Audio", "Video", "EmbeddedObject"):
        return "media and plug-ins that can't be loaded are disabled"
    if name in ("required", "readonly") and theirs == "":
        return "Chrome states readonly and required of some roles only"
    if name == "readonly" and role in ("gridcell", "columnheader", "rowheader"):
        return "the cells of a readonly grid"
    if name == "selected" and theirs == "" and role in ("row", "rowheader", "columnheader"):
        return "selected rows outside of a grid, and their headers"
    if name == "focusable" and tag in ("iframe", "dialog"):
        return "whether a frame and an open dialog are focusable"
    if name == "invalid" and theirs == "":
        return "invalid spelling or grammar"
    if name == "value" and role in _RANGES and (ours == "" or tag not in ("input", "meter", "progress")):
        return "ranges: Chrome has 0 or 50 where nothing is stated, and the number where there is a text for it"
    if name == "value" and theirs == "No file chosen":
        return "file inputs without a file"
    if name == "description" and role == "Ruby":
        return "the reading of a ruby is text of the page"
    if name == "selected" and tag == "option":
        return "options of a disabled select"
    return ""


async def compare(page: Page) -> Comparison:
    """Compare the records of all frames of the page with Chrome's trees."""
    await TextSnapshot.take(page)  # finds out what listens for clicks
    result = Comparison()
    for frame in page.main_frame.subtree():
        if frame.is_main or (frame.url not in ("", "about:blank") and frame.parent is not None):
            result += await _compare_frame(frame)
    return result


async def marked(page: Page, attribute: str) -> dict[str, tuple[tuple[str, str], tuple[str, str]]]:
    """Of the main frame's elements with this attribute, by its value: Chrome's role and name, and ours."""
    found = {}
    for element, node, (_, role, name, *_rest) in await _pairs(page.main_frame):
        given = element.get("attributes", [])
        if attribute in given[::2]:
            theirs = (node["role"]["value"], _folded(node.get("name", {}).get("value", ""))) if node else ("", "")
            found[given[given.index(attribute) + 1]] = (theirs, (role, _folded(name)))
    return found


async def _pairs(frame: Frame) -> list[tuple[dict[str, Any], dict[str, Any], list[Any]]]:
    """All elements of a frame's document: as the DOM has it, as Chrome's tree has it (empty: not), and our row."""
    session = frame.session
    for _ in range(10):
        document = (await session.send("DOM.getDocument", {"depth": -1, "pierce": True}, timeout=30))["root"]
        document = _document_of(document, frame.id) or document
        elements = _elements(document)
        rows = json.loads(await frame.call(_DUMP, timeout=30))
        if [node["localName"] for node in elements] == [row[0] for row in rows]:
            break
    else:
        pytest.fail("the page changes all the time")
    tree = (await session.send("Accessibility.getFullAXTree", {"frameId": frame.id}, timeout=60))["nodes"]
    nodes: dict[int, dict[str, Any]] = {}
    for node in tree:
        role = "" if node.get("ignored") else node["role"]["value"]
        if role and role not in _NO_ELEMENTS and "backendDOMNodeId" in node:
            nodes.setdefault(node["backendDOMNodeId"], node)
    return [
        (element, nodes.get(element["backendNodeId"], {}), row) for element, row in zip(elements, rows, strict=True)
    ]


async def _compare_frame(frame: Frame) -> Comparison:
    result = Comparison()
    for element, node, (tag, our_role, our_name, said, focusable) in await _pairs(frame):
        theirs = (node["role"]["value"], _folded(node.get("name", {}).get("value", ""))) if node else ("", "")
        ours = (our_role, _folded(our_name))
        if all(role in ("", "LineBreak") or (role in _UNNAMED and name == "") for role, name in (theirs, ours)):
            continue
        what = f"<{tag} {' '.join(element.get('attributes', ())[:6]):.80}>"
        result.total += 1
        if theirs != ours:
            if why := _explanation(tag, theirs, ours):
                result.explained[why] += 1
            else:
                result.differences.append(f"{what} Chrome {theirs!r:.200} ours {ours!r:.200}")
        if theirs[0] == our_role != "":
            _compare_facts(result, what, tag, ours, node, _our_facts(said, focusable))
    return result


def _compare_facts(
    result: Comparison, what: str, tag: str, element: tuple[str, str], node: dict[str, Any], ours: Facts
) -> None:
    role = element[0]
    theirs = _chrome_facts(tag, role, node)
    for name in sorted(theirs.keys() | ours.keys()):
        one, other = theirs.get(name, ""), ours.get(name, "")
        result.facts += 1
        if _same(name, one, other):
            continue
        if why := _why(name, tag, element, one, other):
            result.facts_explained[why] += 1
        else:
            result.facts_differences.append(f"{what} {role} {name}: Chrome {one!r:.100} ours {other!r:.100}")


def _document_of(document: dict[str, Any], frame_id: str) -> dict[str, Any] | None:
    """The document of a frame of the same process."""
    stack = [document]
    while stack:
        node = stack.pop()
        if node.get("frameId") == frame_id and "contentDocument" in node:
            inner: dict[str, Any] = node["contentDocument"]
            return inner
        stack += node.get("children", ())
        stack += node.get("shadowRoots", ())
        if "contentDocument" in node:
            stack.append(node["contentDocument"])
    return None
