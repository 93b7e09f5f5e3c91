"""The operations that are timed, one after the other; all who take part do each in turn, there and back again."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.client import FAILURES
from benchmarks.contenders import BARE, Contender
from benchmarks.pages import FIELDS
from benchmarks.results import Results, median
from benchmarks.tokens import count_tokens

__all__ = ["OPERATIONS", "Operation", "time_operations"]


@dataclass(frozen=True)
class Operation:
    """One operation.

    Attributes:
        page: is loaded before the first round, or before every one.
        values: what the tool needs, given the contender and the number of the round.
        looks: a snapshot is taken before the first round (every one, if the page is loaded before every one).
        check: JavaScript that says whether it came true, asked untimed after every round; None where the reply says it.
        is_judged: is timed in as many rounds as it takes to judge; the others in fewer.
        more_rounds: so many times as often.
    """

    name: str
    kind: str
    page: str | None = None
    values: Callable[[Contender, int, str], dict[str, Any]] = lambda who, number, site: {}
    looks: bool = False
    every_round: bool = False
    check: Callable[[dict[str, Any]], str] | None = None
    is_judged: bool = False
    more_rounds: int = 1


#: Chrome draws, and so photographs, every so often, and all Chromes of a machine at the same moments. Seconds.
FRAME = 1 / 60
#: Its multiples, without the whole numbers, are spread evenly however many there are.
_GOLDEN = (5**0.5 - 1) / 2


def _click(role: str, name: str, **more: Any) -> Callable[[Contender, int, str], dict[str, Any]]:
    return lambda who, number, site: {"ref": who.find(role, name), **more}


def _field(who: Contender, number: int, label: str, role: str) -> dict[str, Any]:
    if role == "textbox":
        value = f"value {number} {label}"
    elif role == "combobox":
        value = f"Option {number % 5 + 1}"
    else:
        value = ("true", "false")[number % 2]
    return {"ref": who.find(role, label), "name": label, "role": role, "value": value}


def _holds(values: dict[str, Any]) -> str:
    """Whether the form's fields hold these values."""
    fields = values.get("fields") or [{"name": "Text field 3", "value": values["value"]}]
    ids = {label: f"t{number}" for number, (label, _) in enumerate(FIELDS, 1)}
    wanted = {ids[field["name"]]: field["value"] for field in fields}
    # The answer is put together, so that a server which repeats the script has not given it.
    return (
        "((wanted) => Object.entries(wanted).every(([id, value]) => { const field = document.getElementById(id);"
        " return value === (field.type === 'checkbox' ? String(field.checked) : field.selectedOptions ?"
        f" field.selectedOptions[0].label : field.value) }}) ? 'came ' + 'true' : 'failed')({json.dumps(wanted)})"
    )


def _go(page: str) -> Callable[[Contender, int, str], dict[str, Any]]:
    return lambda who, number, site: {"url": f"{site}/{page}.html"}


OPERATIONS = [
    Operation(
        "navigate tiny",
        "navigate",
        values=lambda who, number, site: {"url": f"{site}/{('tiny', 'tiny2')[number % 2]}.html"},
        is_judged=True,
    ),
    Operation("navigate form", "navigate", "tiny", _go("form"), every_round=True, is_judged=True),
    Operation("navigate shop", "navigate", "tiny", _go("shop"), every_round=True, is_judged=True),
    Operation("evaluate 1+1", "evaluate", "tiny", lambda who, number, site: {"expr": "1+1"}, is_judged=True),
    Operation("click, calm page", "click", "tiny", _click("button", "Do nothing"), looks=True, is_judged=True),
    Operation("click, changing page", "click", "tick", _click("button", "Do nothing"), looks=True, is_judged=True),
    Operation("screenshot tiny", "screenshot", "tiny", is_judged=True, more_rounds=3),
    Operation("screenshot shop", "screenshot", "shop", is_judged=True, more_rounds=3),
    Operation("snapshot tiny", "snapshot", "tiny"),
    Operation("snapshot form", "snapshot", "form"),
    Operation("snapshot shop", "snapshot", "shop"),
    Operation("snapshot 50,000 nodes", "snapshot", "table"),
    Operation("click, large page", "click", "shop", _click("button", "Go"), looks=True),
    Operation(
        "click that navigates",
        "click",
        "tiny",
        lambda who, number, site: {"ref": who.find("link", "Other page"), "navigates": True},
        looks=True,
        every_round=True,
    ),
    Operation("click that adds 50", "click", "spa", _click("button", "Add 50"), looks=True),
    Operation("click that fetches", "click", "spa", _click("button", "Load items"), looks=True),
    Operation(
        "fill",
        "fill",
        "form",
        lambda who, number, site: {"ref": who.find("textbox", "Text field 3"), "value": f"hello value {number}"},
        looks=True,
        check=_holds,
        is_judged=True,
    ),
    Operation(
        "fill 20 fields",
        "fill_form",
        "form",
        lambda who, number, site: {"fields": [_field(who, number, label, role) for label, role in FIELDS]},
        looks=True,
        check=_holds,
        is_judged=True,
    ),
    Operation("wait for a text there", "wait_for", "shop", lambda who, number, site: {"text": "Conditions of Use"}),
    Operation("list 51 requests", "network", "console"),
    Operation("list 100 messages", "console", "console"),
]


async def time_operations(
    contenders: Sequence[Contender],
    site: str,
    results: Results,
    *,
    judged_rounds: int,
    other_rounds: int,
    operations: Sequence[Operation] = tuple(OPERATIONS),
) -> None:
    """Time them all; the first round of each warms up and does not count.

    Each begins at another moment of a frame, all of a round at the same: else whoever comes first after the end of the
    one before would win or lose a whole frame by a millisecond, every time.
    """
    for operation in operations:
        those = [who for who in contenders if who.can(operation.kind)]
        rounds = (judged_rounds if operation.is_judged else other_rounds) * operation.more_rounds
        times = results.times[operation.name] = {who.name: [] for who in those}
        for number in range(-1, rounds):
            for who in those if number % 2 else those[::-1]:
                try:
                    await _phase(number * _GOLDEN % 1)
                    seconds = await _once(operation, who, number + 1, site)
                except FAILURES as error:
                    results.failures.append(f"{operation.name}: {type(error).__name__}: {str(error)[:300]}")
                    if number >= 0:
                        times[who.name].append(None)
                else:
                    if number >= 0:
                        times[who.name].append(seconds)
                if number == 0:
                    _note_size(results, operation, who)
        results.loads.append(os.getloadavg()[0])
        print(f"  {operation.name:24s}", _line(times), flush=True)


async def _phase(part: float) -> None:
    """Wait for this part of a frame, counted as Chrome counts them: from the start of the monotonic clock."""
    await asyncio.sleep((part - time.monotonic() / FRAME) % 1 * FRAME)


async def _once(operation: Operation, who: Contender, number: int, site: str) -> float:
    if operation.page is not None and (operation.every_round or number == 0):
        await who.do("navigate", url=f"{site}/{operation.page}.html")
        if operation.looks:
            await who.look()
    values = operation.values(who, number, site)
    if who.name != BARE:
        values.pop("navigates", None)
    seconds = await who.do(operation.kind, **values)
    if operation.check is not None and who.name != BARE:
        said = who.last_text, who.last_image
        await who.do("evaluate", expr=operation.check(values))
        if "came true" not in who.last_text:
            raise RuntimeError(f"{who.name} said that it did, and the page says otherwise: {who.last_text[:200]}")
        who.last_text, who.last_image = said
    return seconds


def _note_size(results: Results, operation: Operation, who: Contender) -> None:
    sizes = results.sizes.get(who.name)
    if sizes is not None:
        sizes.replies[operation.name] = count_tokens(who.last_text)
        sizes.images[operation.name] = who.last_image


def _line(times: dict[str, list[float | None]]) -> str:
    said = []
    for name, values in times.items():
        middle = median(values)
        said.append(f"{name} {'failed' if middle is None else f'{middle * 1000:.1f} ms'}")
    return ", ".join(said)
