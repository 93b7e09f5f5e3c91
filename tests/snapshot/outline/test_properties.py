"""What holds for every tree: nothing is lost, sizes are bounded, the same tree gives the same outline."""

from __future__ import annotations

import random
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from pagelens.snapshot.outline import (
    DomSimHash,
    ListDetector,
    ListPattern,
    OutlineOptions,
    SmartOutline,
    parse_snapshot,
)
from pagelens.snapshot.outline.node import bottom_up, measure
from tests.snapshot.outline.checker import check

NAMES = [
    "",
    "Home",
    "Buy",
    'say "e12"',
    "e3",
    "[e1-e4]",
    "a · b | c",
    "… 4 more [e1-e9]",
    "3 × link: e4",
    "x" * 90,
    "1",
]
KINDS = "link button text checkbox textbox heading navigation main item row list img region generic article alert"
ROLES = KINDS.split()


@st.composite
def snapshots(draw: st.DrawFn, size: int = 60) -> str:
    """A snapshot's text of random elements, often alike, their uids ascending or not."""
    rng = random.Random(draw(st.integers(0, 2**32)))
    count = draw(st.integers(1, size))
    uids = list(range(1, count + 1))
    if draw(st.booleans()):
        for _ in range(rng.randrange(1, 4)):
            a = rng.randrange(count)
            uids = uids[a:] + uids[:a]
    kinds = rng.sample(ROLES, rng.randrange(2, 7))
    lines, depth = ['page "Random" url=http://127.0.0.1/'], 0
    for uid in uids:
        role, name = rng.choice(kinds), rng.choice(NAMES)
        quoted = '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
        pad = "  " * depth
        if role == "text":
            lines.append(pad + (name if name in ("Home", "Buy", "1") else quoted))
            depth = rng.randrange(depth + 1)
            continue
        said = f" {quoted}" if name else ""
        state = rng.choice(["", "", "", " disabled", " clickable", ' value="v | e7"']) if role != "row" else ""
        lines.append(f"{pad}uid=e{uid} {role}{said}{state}" if role != "item" else f"{pad}item")
        depth = rng.randrange(min(depth, 8) + 2)
    return "\n".join(_with_parents(lines))


def _with_parents(lines: list[str]) -> list[str]:
    """A text has nothing below it."""
    made: list[str] = []
    top = 0
    for line in lines:
        body = line.lstrip(" ")
        depth = min((len(line) - len(body)) // 2, top)
        made.append("  " * depth + body)
        is_text = not re.match(r"uid=|item$|page ", body)
        top = depth if is_text else depth + (len(made) > 1)
    return made


@settings(max_examples=150, deadline=None, derandomize=True)
@given(snapshots(), st.sampled_from([10, 12, 17, 25, 40, 1000]))
def test_every_uid_is_accounted_for(snapshot: str, budget: int) -> None:
    outline = SmartOutline(OutlineOptions(max_lines=budget)).generate(snapshot)
    verdict = check(snapshot, outline)
    assert verdict.faults == {}, f"{snapshot}\n\n{outline}"
    assert outline.count("\n") + 1 <= budget
    if budget == 1000:
        assert verdict.never == [], f"{snapshot}\n\n{outline}"


@settings(max_examples=40, deadline=None, derandomize=True)
@given(snapshots(), st.integers(80, 600), st.integers(1, 5))
def test_the_same_tree_gives_the_same_outline(snapshot: str, tokens: int, depth: int) -> None:
    options = OutlineOptions(max_tokens=tokens, depth=depth)
    outline = SmartOutline(options).generate(snapshot)
    assert outline == SmartOutline(options).generate(snapshot)
    assert check(snapshot, outline).faults == {}, f"{snapshot}\n\n{outline}"


@settings(max_examples=80, deadline=None, derandomize=True)
@given(snapshots())
def test_runs_are_of_like_roles_and_share_no_node(snapshot: str) -> None:
    root = parse_snapshot(snapshot)
    nodes = bottom_up(root)
    measure(nodes)
    hashes = DomSimHash()
    for node in nodes:
        node.signature = hashes.of(node)
    for node in nodes:
        found = ListDetector().detect(node.children)
        flat = [
            child
            for part in found
            for child in ([c for item in part.items for c in item] if isinstance(part, ListPattern) else [part])
        ]
        assert flat == node.children  # each once, in order
        for pattern in found:
            if isinstance(pattern, ListPattern):
                assert pattern.count == len(pattern.items) >= 3
                assert node.children[pattern.start : pattern.end] == [c for item in pattern.items for c in item]
                assert {tuple(c.type for c in item) for item in pattern.items} == {
                    tuple(c.type for c in pattern.sample)
                }


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.text(st.characters(codec="utf-8"), max_size=300))
def test_any_text_has_an_outline(text: str) -> None:
    assert SmartOutline().generate(text).startswith("Page outline (")


def test_a_thousand_levels() -> None:
    lines = ['page "Deep" url=http://127.0.0.1/']
    for level in range(1000):
        lines.append("  " * level + f'uid=e{3 * level + 1} region "R{level}"')
        lines += ["  " * (level + 1) + f'uid=e{3 * level + n} link "L{level}.{n}"' for n in (2, 3)]
    snapshot = "\n".join(lines)
    outline = SmartOutline(OutlineOptions(max_lines=3000)).generate(snapshot)
    verdict = check(snapshot, outline)
    assert verdict.faults == {}
    assert verdict.never == []
    assert verdict.own == 2000


def test_many_siblings_are_bounded_by_the_default_cap() -> None:
    unlike = "\n".join(f'uid=e{n} {("heading", "alert")[n % 2]} "N{n}"' for n in range(1, 5001))
    outline = SmartOutline().generate('page "Many" url=http://127.0.0.1/\n' + unlike)
    assert outline.count("\n") + 1 <= 1000
    assert check(unlike, outline).faults == {}
