"""Judges an outline by two texts alone: the snapshot and the outline. Shares no code with what makes outlines."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise

__all__ = ["Verdict", "check"]


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


CONTROLS = words("textbox searchbox combobox listbox checkbox radio switch slider spinbutton color date datetime time")
ACTIONABLE = CONTROLS | words(
    "link button option tab treeitem menuitem menuitemcheckbox menuitemradio summary gridcell scrollbar generic"
)
LANDMARKS = words("banner navigation main contentinfo complementary region search form alert alertdialog")

LINE = re.compile(r'( *)uid=e(\d+) ([\w-]+)(?: "((?:[^"\\]|\\.)*)")?(?: (.*))?')
QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
RANGE = re.compile(r"\[(e\d+(?:[-…]e\d+)?(?:, e\d+(?:-e\d+)?)*)\]")
UID = re.compile(r"(?<![\w-])e(\d+)(?!\w)")
RUN = re.compile(r"( *)(?:.* › )?\d+ × (\w+): (.*)")


@dataclass
class Verdict:
    """What was found. Lists hold uids, or texts that are missing."""

    interactive: int = 0
    own: int = 0
    lost: list[int] = field(default_factory=list)
    twice: list[int] = field(default_factory=list)
    overlapping: list[int] = field(default_factory=list)
    unknown: list[int] = field(default_factory=list)
    inversions: int = 0
    unlike: list[str] = field(default_factory=list)
    names: int = 0
    names_said: int = 0
    names_in_cells: int = 0
    never: list[str] = field(default_factory=list)
    longest: int = 0

    @property
    def faults(self) -> dict[str, object]:
        """What may not be, at any budget."""
        found = {
            "lost": self.lost[:9],
            "twice": self.twice[:9],
            "overlapping": self.overlapping[:9],
            "unknown": self.unknown[:9],
            "inversions": self.inversions,
            "unlike": self.unlike[:9],
            "too long": self.longest if self.longest > 350 else 0,
        }
        return {key: value for key, value in found.items() if value}


def check(snapshot: str, outline: str) -> Verdict:
    """Compare the two."""
    verdict = Verdict()
    role: dict[int, str] = {}
    name: dict[int, str] = {}
    place: dict[int, int] = {}
    interactive: list[int] = []
    lines = snapshot.split("\n")
    for number, line in enumerate(lines):
        if (found := LINE.fullmatch(line)) is None:
            continue
        uid = int(found[2])
        role[uid], name[uid], place[uid] = found[3], re.sub(r"\\(.)", r"\1", found[4] or ""), number
        states = QUOTED.sub("", found[5] or "").split()
        if found[3] in ACTIONABLE or {"clickable", "editable", "focused"} & set(states):
            interactive.append(uid)
    numbers, in_order = sorted(role), sorted(role, key=place.__getitem__)

    printed: list[int] = []
    ranged: list[int] = []
    for line in outline.split("\n")[2:]:
        verdict.longest = max(verdict.longest, len(line))
        plain = re.sub(r" like e\d+", "", QUOTED.sub('""', line))
        for found in RANGE.finditer(plain):
            for piece in found[1].split(", "):
                first, last = (int(end[1:]) for end in (re.split("[-…]", piece) * 2)[:2])
                if "…" in piece:
                    ranged += in_order[in_order.index(first) : in_order.index(last) + 1]
                else:
                    ranged += [n for n in numbers if first <= n <= last]
        printed += map(int, UID.findall(RANGE.sub("", plain)))
        if (run := RUN.fullmatch(RANGE.sub("", plain))) and "|" not in run[3]:
            verdict.unlike += [
                f"{uid} {role[int(uid)]} in {run[2]}s" for uid in UID.findall(run[3]) if role.get(int(uid)) != run[2]
            ]
    verdict.longest = max(map(len, outline.split("\n")[2:]), default=0)
    shown, hidden = set(printed), Counter(ranged)
    verdict.unknown = sorted((shown | set(hidden)) - set(role))
    verdict.twice = [uid for uid, count in Counter(printed).items() if count > 1]
    verdict.overlapping = sorted({uid for uid, count in hidden.items() if count > 1} | (shown & set(hidden)))
    verdict.interactive = len(interactive)
    verdict.lost = [uid for uid in interactive if uid not in shown and uid not in hidden]
    verdict.own = sum(uid in shown for uid in interactive)
    places = [place[uid] for uid in printed if uid in place]
    verdict.inversions = sum(a > b for a, b in pairwise(places))

    said = outline.replace("\\", "")
    names = {name[uid] for uid in interactive if name[uid]}
    verdict.names = len(names)
    verdict.names_said = sum(is_said(text, said) for text in names)
    cells = cells_of(outline)
    verdict.names_in_cells = sum(cut(text) in cells for text in names)
    for uid in role:
        if role[uid] in CONTROLS and uid not in shown:
            verdict.never.append(f"control e{uid}")
        if role[uid] in LANDMARKS and uid not in shown:
            verdict.never.append(f"landmark e{uid} {name[uid]}")
        if role[uid] == "heading" and name[uid] and not is_said(name[uid], said):
            verdict.never.append(f"heading e{uid} {name[uid]}")
    return verdict


def cells_of(outline: str) -> set[str]:
    """All that an outline says by itself: quoted names, and what stands between its separators; cut as names are."""
    found: set[str] = set()
    for line in outline.split("\n")[2:]:
        found |= {cut(re.sub(r"\\(.)", r"\1", text[1:-1])) for text in QUOTED.findall(line)}
        plain = RANGE.sub("", line.strip())
        for piece in re.split(r" · | \| | › |: | / |[()]", plain):
            bare = re.sub(r"^(?:[a-z]:)?(?:e\d+ )?", "", piece.strip())
            bare = re.sub(r" \[[^\]]*\]$", "", bare)
            found |= {cut(bare), cut(re.sub(r"^[a-z]+ ", "", bare))}
    return found


def cut(text: str) -> str:
    """A name as far as a cell of an outline has it."""
    text = text.replace("\\", "").removesuffix("…").rstrip()
    return text if len(text) <= 40 else text[:39].rstrip()


def is_said(text: str, said: str) -> bool:
    """Whether a name, cut as in a cell, stands in the outline."""
    return cut(text) in said
