"""The tree that an outline is made of, and the kinds of elements in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

__all__ = [
    "ACTIONABLE",
    "APART",
    "CONTROLS",
    "LANDMARKS",
    "MUST",
    "ElementNode",
    "bottom_up",
    "measure",
    "role_set",
]


def role_set(roles: str) -> frozenset[str]:
    """Roles written in a row."""
    return frozenset(roles.split())


#: Fields of a form: never folded away without a budget.
CONTROLS = role_set(
    "textbox searchbox combobox listbox checkbox radio switch slider spinbutton color date datetime time"
)
#: What an agent acts on.
ACTIONABLE = CONTROLS | role_set(
    "link button option tab treeitem menuitem menuitemcheckbox menuitemradio summary gridcell scrollbar generic"
)
LANDMARKS = role_set("banner navigation main contentinfo complementary region search form")
#: Never folded away without a budget, wherever they are.
MUST = CONTROLS | LANDMARKS | role_set("heading alert alertdialog unread")
#: Parts of a page, not items of a list: they never enter a run at its top level.
APART = LANDMARKS | role_set(
    "page heading alert alertdialog status dialog log iframe tabpanel inert unread caption legend"
)


@dataclass(slots=True, eq=False)
class ElementNode:
    """One line of a snapshot.

    Attributes:
        type: its role as the snapshot writes it; ``text`` for a text of the page.
        ref: its uid, e.g. ``e12``; empty when the line has none.
        content: its name; of a text, row, cell or ``options`` line what it says.
        children: what is below it.
        indent: its level, 0 for the page's first line.
        has_interaction: an agent can act on it.
        states: e.g. ``disabled``, ``level=2``.
        value: of a control.
        line: its place among the snapshot's lines.
        start: the same, or the line of what gave way to it (`UselessWrapperRemover`).
        end: the first line after all that is below it.
        size: lines left in it, itself included; with the others that follow worked out by `measure`.
        height: levels below it.
        musts: elements in it that are never folded away.
        acts: elements in it that can be acted on.
        roles: of its children, sorted.
        signature: its shape, by `DomSimHash`.
    """

    type: str
    ref: str = ""
    content: str = ""
    children: list[ElementNode] = field(default_factory=list)
    indent: int = 0
    has_interaction: bool = False
    states: tuple[str, ...] = ()
    value: str = ""
    line: int = 0
    start: int = 0
    end: int = 0
    size: int = 1
    height: int = 0
    musts: int = 0
    acts: int = 0
    roles: tuple[str, ...] = ()
    signature: int = 0

    def walk(self) -> Iterator[ElementNode]:
        """It and all below it, in the page's order."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))


def bottom_up(root: ElementNode) -> Sequence[ElementNode]:
    """All nodes, children before parents."""
    return list(root.walk())[::-1]


def measure(nodes: Sequence[ElementNode]) -> None:
    """Work out what is counted; `nodes` as `bottom_up` gives them."""
    for node in nodes:
        children = node.children
        node.size = 1 + sum(child.size for child in children)
        node.height = 1 + max((child.height for child in children), default=-1)
        node.musts = (node.type in MUST) + sum(child.musts for child in children)
        node.acts = node.has_interaction + sum(child.acts for child in children)
        node.roles = tuple(sorted({child.type for child in children}))
