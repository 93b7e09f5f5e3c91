"""Takes out of a snapshot's tree what says nothing of its own."""

from __future__ import annotations

import re

from pagelens.snapshot.outline.node import CONTROLS, ElementNode, bottom_up, role_set

__all__ = ["UselessWrapperRemover"]

_NO_WORD = re.compile(r"\W+")
#: They only hold things together; with one thing in them they are that thing.
_WRAPPERS = role_set("item row cell colheader rowheader gridcell group generic list note figure")
#: They say with their name what is in them.
_NAMED_BY_CONTENT = role_set("link button heading option tab treeitem menuitem summary img checkbox radio")


class UselessWrapperRemover:
    """Removes empty wrappers, lets wrappers of one thing give way to it, and drops what is said twice.

    Children come first, so that one pass is the fixed point. An element that can be acted on always stays.
    """

    def __init__(self) -> None:
        self.removed = 0

    def remove(self, root: ElementNode) -> ElementNode:
        """`root`, changed in place; `removed` counts the nodes that are gone."""
        for node in bottom_up(root):
            if node.children:
                self._clean(node)
        return root

    def _clean(self, node: ElementNode) -> None:
        kept: list[ElementNode] = []
        own = squashed(node.content) if node.type in _NAMED_BY_CONTENT else ""
        labels = {squashed(child.content) for child in node.children if child.type in CONTROLS}
        before = ""
        for given in node.children:
            child = _unwrapped(given)
            if child is not given:
                self.removed += 1
            said = squashed(child.content)
            is_plain = not child.children and not child.has_interaction and not child.states
            # Said by what is around it, by the control that it labels, or by what comes right before it.
            is_said = child.content == "" or (said != "" and (said in own or said in labels or said == before))
            if is_plain and is_said and child.type in ("text", "img", "generic", "item"):
                self.removed += 1
                continue
            before = said
            kept.append(child)
        node.children = kept


def squashed(text: str) -> str:
    """The letters and digits of a text: what two texts share that only differ in punctuation."""
    return _NO_WORD.sub("", text)


def _unwrapped(node: ElementNode) -> ElementNode:
    """What `node` stands for: itself, or the one thing in it."""
    if (
        len(node.children) == 1
        and node.type in _WRAPPERS
        and not node.has_interaction
        and not node.content
        and not node.states
    ):
        only = node.children[0]
        only.start, only.end = node.start, node.end  # a range of it counts the wrapper's uid too
        return only
    return node
