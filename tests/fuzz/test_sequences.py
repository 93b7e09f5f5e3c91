"""A long random walk of calls over several pages: closing, crashing, dialogs, navigation, calls side by side."""

from __future__ import annotations

import asyncio
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from pagelens.tools.schema import input_schema
from tests.fuzz.arena import TOOLS, Arena, Fault
from tests.fuzz.strategies import likely_arguments

#: Calls of one walk, and with ``--long``.
STEPS = 80
LONG_STEPS = 2_000
#: Calls between two looks at whether everything still works.
LOOK = 10
#: Pages are closed when there are more: a walk is about what they do to each other, not about their number.
MOST_PAGES = 6
SEED = 20_240_229

#: What random arguments seldom do, and what shakes a browser most.
UPHEAVALS: list[tuple[str, dict[str, Any]]] = [
    ("navigate_page", {"url": "chrome://crash", "timeout": 300, "pageId": "‹any page›"}),
    ("navigate_page", {"url": "‹site›/fuzz", "timeout": 300, "pageId": "‹any page›"}),
    ("navigate_page", {"type": "back", "timeout": 300, "pageId": "‹any page›"}),
    ("navigate_page", {"type": "reload", "timeout": 300, "pageId": "‹any page›"}),
    ("new_page", {"url": "‹site›/fuzz", "timeout": 300}),
    ("new_page", {"url": "‹other site›/fuzz", "timeout": 300, "isolatedContext": "apart", "background": True}),
    ("close_page", {"pageId": "‹any page›"}),
    ("select_page", {"pageId": "‹any page›"}),
    ("click", {"uid": "css=#ask", "pageId": "‹any page›"}),
    ("click", {"uid": "css=#pop", "pageId": "‹any page›"}),
    ("handle_dialog", {"action": "accept", "pageId": "‹any page›"}),
    ("handle_dialog", {"action": "dismiss", "pageId": "‹any page›"}),
    ("evaluate_script", {"function": "() => { setTimeout(() => alert('later')) }", "pageId": "‹any page›"}),
    ("evaluate_script", {"function": "() => { setTimeout(() => close(), 20) }", "pageId": "‹any page›"}),
    ("evaluate_script", {"function": "() => { onbeforeunload = e => e.preventDefault() }", "pageId": "‹any page›"}),
    ("take_snapshot", {"pageId": "‹any page›"}),
]


def _likely_calls(count: int) -> list[tuple[str, dict[str, Any]]]:
    """Random calls whose arguments have the right types; the same ones each time."""
    found: list[tuple[str, dict[str, Any]]] = []
    each = st.sampled_from(sorted(TOOLS)).flatmap(
        lambda name: st.tuples(st.just(name), likely_arguments(input_schema(*TOOLS[name])))
    )

    @settings(
        max_examples=count,
        derandomize=True,
        database=None,
        deadline=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(each)
    def collect(call: tuple[str, dict[str, Any]]) -> None:
        found.append(call)

    collect()
    return found


@pytest.fixture(scope="module")
def steps(pytestconfig: pytest.Config) -> int:
    return LONG_STEPS if pytestconfig.getoption("--long") else STEPS


def test_a_random_walk(arena: Arena, steps: int) -> None:
    random = Random(SEED)
    likely = _likely_calls(steps)
    history: list[str] = []

    def next_call() -> tuple[str, dict[str, Any]]:
        name, arguments = random.choice(UPHEAVALS if random.random() < 0.4 else likely)
        resolved = arena.resolve(arguments)
        if resolved.get("pageId") == "‹any page›":
            resolved["pageId"] = random.choice([page.id for page in arena.context.pages()])
        history.append(f"{name} {str(resolved)[:300]}")
        return name, resolved

    async def walk() -> None:
        done = 0
        while done < steps:
            side_by_side = random.choice([1, 1, 1, 2, 5])
            async with asyncio.TaskGroup() as group:
                for _ in range(side_by_side):
                    name, arguments = next_call()
                    group.create_task(arena.call(name, arguments))
            before, done = done, done + side_by_side
            if done // LOOK > before // LOOK:
                await arena.still_works()
                if len(arena.context.pages()) > MOST_PAGES:
                    await arena.restore()

    try:
        arena.run(walk(), within=steps * 30)
        arena.run(arena.restore(anew=True))
    except BaseException as error:
        raise Fault("after\n  " + "\n  ".join(history[-12:])) from error
    arena.check_files()
