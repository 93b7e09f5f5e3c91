"""Samples of the profiler and slices of a trace become one tree: what functions took, and what they made Chrome do."""

from __future__ import annotations

import random

import pytest

from pagelens.analysis.trace import Calls, FunctionTime, Span, Task, Trace
from pagelens.analysis.trace.profile import Samples
from pagelens.analysis.trace.recording import Slice
from pagelens.analysis.trace.schema import CallFrame, ProfileFrame
from tests.analysis.trace.made import URL, MadeTrace

#: A call tree: (root), (program), (garbage collector); f, which calls g and a function of Chrome's; k.
NAMES = {1: "(root)", 2: "(program)", 3: "(garbage collector)", 4: "f", 5: "g", 6: "sort", 7: "k", 8: "f"}
PARENTS = {1: 0, 2: 1, 3: 1, 4: 1, 5: 4, 6: 5, 7: 1, 8: 5}
PROGRAM, GARBAGE, F, F_G, F_G_SORT, K, F_G_F = 2, 3, 4, 5, 6, 7, 8


def samples(*taken: tuple[float, int]) -> Samples:
    frames = {
        number: ProfileFrame(name, "" if number in (1, 2, 3, 6) else f"http://a.test/{name}.js", 0, 0)
        for number, name in NAMES.items()
    }
    return Samples((1, 1), [ts for ts, _ in taken], [node for _, node in taken], frames, dict(PARENTS))


def slices(*given: tuple[str, float, float]) -> list[Slice]:
    return sorted(Slice(begin, begin - end, name) for name, begin, end in given)


def shown(calls: Calls) -> list[tuple[int, str, float, float]]:
    return [(one.depth, one.label.name, one.ts, one.ts + one.dur) for one in calls.spans(0, 1e9, most=10**6)]


def times(calls: Calls, begin: float = 0, end: float = 1e9) -> dict[str, tuple[float, float]]:
    found = calls.totals(begin, end).functions()
    return {row.name: (round(row.own_ms * 1000), round(row.total_ms * 1000)) for row in found}


def test_functions_nest_in_slices_and_slices_in_functions() -> None:
    calls = Calls(
        slices(("RunTask", 0, 100), ("FunctionCall", 10, 90), ("Layout", 40, 60)),
        samples((20, F), (30, F_G), (45, F_G), (50, F), (70, F), (80, PROGRAM), (95, PROGRAM)),
    )
    assert shown(calls) == [
        (0, "RunTask", 0, 100),
        (1, "FunctionCall", 10, 90),
        (2, "f", 20, 80),
        (3, "g", 30, 70),
        (4, "Layout", 40, 60),
    ]
    assert times(calls) == {"f": (20, 60), "g": (20, 40)}
    work = {
        row.name: (round(row.own_ms * 1000), round(row.total_ms * 1000)) for row in calls.totals(0, 1e9).activities()
    }
    # What functions take is the time of the call that they run in.
    assert work == {"FunctionCall": (60, 80), "RunTask": (20, 100), "Layout": (20, 20)}


def test_a_script_that_runs_while_another_waits() -> None:
    """An event that a function dispatches: the handler is in it, what called it stays open."""
    calls = Calls(
        slices(("RunTask", 0, 100), ("FunctionCall", 10, 90), ("EventDispatch", 30, 60), ("FunctionCall", 31, 59)),
        samples((20, F), (40, F_G), (50, PROGRAM), (70, F), (85, K)),
    )
    assert shown(calls)[2:] == [
        (2, "f", 20, 85),
        (3, "EventDispatch", 30, 60),
        (4, "FunctionCall", 31, 59),
        (5, "g", 40, 50),
        (2, "k", 85, 90),
    ]


def test_a_lone_sample_of_chromes_own_ends_no_function() -> None:
    calls = Calls(slices(("FunctionCall", 0, 100)), samples((10, F), (20, PROGRAM), (30, F), (40, GARBAGE), (50, F)))
    assert shown(calls) == [(0, "FunctionCall", 0, 100), (1, "f", 10, 100)]


def test_a_function_that_calls_itself_counts_once() -> None:
    calls = Calls(slices(("RunTask", 0, 100)), samples((0, F), (10, F_G_F), (50, F), (90, PROGRAM)))
    assert times(calls) == {"f": (90, 90), "g": (0, 40)}


def test_functions_outside_of_all_slices() -> None:
    calls = Calls([], samples((10, F), (20, F_G), (40, PROGRAM), (50, K)))
    assert shown(calls) == [(0, "f", 10, 40), (1, "g", 20, 40), (0, "k", 50, 50)]


def test_a_span_of_time_counts_its_part_only() -> None:
    calls = Calls(slices(("RunTask", 0, 100), ("RunTask", 200, 300)), samples((0, F), (50, F_G), (99, F), (210, K)))
    assert times(calls, 40, 60) == {"f": (10, 20), "g": (10, 10)}
    assert times(calls, 100, 220) == {"k": (10, 10)}
    assert times(calls, 120, 130) == {}


def test_scripts_get_what_they_call_of_chromes_own() -> None:
    calls = Calls(slices(("FunctionCall", 0, 100), ("Layout", 60, 80)), samples((0, F), (20, F_G_SORT), (90, F)))
    found = {row.url: (round(row.own_ms * 1000), round(row.total_ms * 1000)) for row in calls.totals(0, 1e9).urls()}
    # The 20 of the layout are nobody's own.
    assert found == {"http://a.test/f.js": (30, 100), "http://a.test/g.js": (50, 70)}


def test_a_script_without_samples_is_known_by_its_call() -> None:
    calls = Calls(slices(("EvaluateScript", 0, 100)), None, {0: CallFrame("http://a.test/x.js")})
    assert [(row.url, row.own_ms) for row in calls.totals(0, 1e9).urls()] == [("http://a.test/x.js", 0.1)]


def test_what_is_behind_a_task() -> None:
    calls = Calls(
        slices(("RunTask", 0, 100), ("FunctionCall", 1, 99), ("RunTask", 100, 200), ("Layout", 110, 190)),
        samples((1, F), (10, F_G), (99, F), (100, PROGRAM)),
    )
    behind = calls.totals(0, 100).behind()
    assert behind is not None
    assert behind.function is not None
    assert behind.entry is not None
    assert (behind.function.name, behind.entry.name, behind.activity) == ("g", "f", "FunctionCall")
    behind = calls.totals(100, 200).behind()
    assert behind is not None
    assert (behind.function, behind.activity, behind.activity_ms) == (None, "Layout", 0.08)
    assert calls.totals(300, 400).behind() is None


def test_the_tasks_of_a_function_and_the_longest_pieces() -> None:
    calls = Calls(
        slices(("RunTask", 0, 100), ("RunTask", 200, 250)), samples((0, F), (30, F_G_F), (90, PROGRAM), (210, F))
    )
    f = FunctionTime("f", "http://a.test/f.js", 1, 1, 0, 0)
    assert calls.tasks(f, 0, 1e9) == [(Task(0, 100), 0.09), (Task(200, 50), 0.04)]
    assert [(one.label.name, one.dur) for one in calls.spans(0, 1e9, most=2)] == [("RunTask", 100), ("f", 90)]
    tree = calls.totals(0, 1e9).tree()
    assert [(depth, node.label.name, round(node.total_ms * 1000)) for depth, node in tree.walk()] == [
        (0, "(thread)", 150),
        (1, "RunTask", 150),
        (2, "f", 130),
        (3, "g", 60),
        (4, "f", 60),
    ]


@pytest.mark.parametrize("seed", range(40))
def test_pieces_always_nest(seed: int) -> None:
    """Whatever slices and samples say: in order, each in the one before it that it is deeper than."""
    chance = random.Random(seed)
    names = ["RunTask", "FunctionCall", "Layout", "v8.run", "ParseHTML", "Other"]
    given = []
    for _ in range(60):
        begin = chance.randrange(1000)
        given.append((chance.choice(names), begin, begin + chance.randrange(200)))
    taken = sorted((chance.randrange(1200), chance.choice(list(NAMES))) for _ in range(80))
    calls = Calls(slices(*given), samples(*taken))
    open_: list[Span] = []
    for one in calls.spans(-1, 1e9, most=10**6):
        assert one.dur >= 0
        assert one.depth <= len(open_)
        del open_[one.depth :]
        if open_:
            assert open_[-1].ts <= one.ts
            assert one.ts + one.dur <= open_[-1].ts + open_[-1].dur
        open_.append(one)
    totals = calls.totals(0, 2000)
    assert all(node.own_ms >= -1e-9 for _, node in totals.tree().walk())
    assert sum(node.own_ms for _, node in totals.tree().walk()) == pytest.approx(totals.tree().total_ms)


def test_threads_of_a_page() -> None:
    made = MadeTrace()
    made.add("thread_name", ph="M", ts=0, tid=12, args={"name": "DedicatedWorker thread"})
    made.add("RunTask", at=20, dur=30, tid=12)
    main, worker = Trace.load(made.text()).threads()
    assert (main.name, main.url, len(main.calls)) == ("CrRendererMain", URL, 2)
    assert (worker.name, worker.calls.totals(0, 1e9).activities()[0].total_ms) == ("DedicatedWorker thread", 30)
