"""No argument object gives a traceback, a hang or an unclear error; and whatever it does, the next call works."""

from __future__ import annotations

import reprlib
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, note, settings

from pagelens.tools.schema import input_schema
from tests.fuzz.arena import TOOLS, Arena
from tests.fuzz.strategies import arguments

#: Argument objects for each tool, and with ``--long``.
BUDGET = 12
LONG_BUDGET = 2_000
#: A recording reloads the page and takes seconds.
FEW = {"performance_start_trace": 5}
#: After so many the pages are loaded anew even when they look as they did.
ANEW = 16


@pytest.fixture(scope="module")
def budget(pytestconfig: pytest.Config) -> int:
    return LONG_BUDGET if pytestconfig.getoption("--long") else BUDGET


@pytest.mark.parametrize("name", sorted(TOOLS))
def test_any_arguments_give_a_clear_reply(name: str, arena: Arena, budget: int) -> None:
    tool, options = TOOLS[name]
    done = refused = 0
    budget = FEW.get(name, budget) if budget == BUDGET else budget

    # No shrinking: what a call does depends on the browser, and what fails is small enough to read.
    @settings(
        max_examples=budget,
        derandomize=True,
        database=None,
        deadline=None,
        phases=(Phase.explicit, Phase.generate),
        suppress_health_check=list(HealthCheck),
    )
    @given(arguments(input_schema(tool, options)))
    def fuzz(given_arguments: dict[str, Any]) -> None:
        nonlocal done
        done += 1
        resolved = arena.resolve(given_arguments)
        note(f"{name} {reprlib.repr(resolved)}")

        async def once() -> None:
            if name == "handle_dialog":
                await arena.call("evaluate_script", {"function": f"() => prompt('Held', {done})"})
            reply = await arena.call(name, resolved)
            nonlocal refused
            refused += reply is not None and "Error (invalid_input)" in reply.text
            await arena.still_works()
            await arena.restore(anew=done % ANEW == 0)

        arena.run(once())

    fuzz()
    assert 0 < refused < done, "arguments of one kind only test little"
    arena.check_files()
