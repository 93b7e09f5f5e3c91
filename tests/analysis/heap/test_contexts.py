"""Closures' variables that nothing reads any more."""

from __future__ import annotations

from pathlib import Path

import pytest

from pagelens.errors import BadSnapshot
from tests.analysis.heap.engines import ENGINES
from tests.analysis.heap.made import Loaded, MadeHeap

#: What V8 gives a whole script as its scope id.
WHOLE = -2


class Code(MadeHeap):
    """A script with a function ``outer`` (scope 10) whose variables ``big`` and ``small`` two inner functions use.

    ``reader`` (scope 20) uses ``small``; ``writer`` (scope 30) uses ``big``, or its inner function (scope 31) does.
    """

    def __init__(self, *, nested: bool = False) -> None:
        super().__init__()
        self.node("gc", "synthetic", "(GC roots)")
        self.edge("root", "gc", "element", 1)
        self.node("script", "code", "system / Script / https://example.com/app.js", held_by="gc")
        self.node("infos", "array", "")
        self.edge("script", "infos", "internal", "infos")
        self.node("outer info", "code", "system / ScopeInfo")
        self.number("outer id", 10, "outer info", "scope_id")
        self.number("start", 100, "outer info", "start_position")
        self.number("end", 200, "outer info", "end_position")
        self.node("outer name", "string", "outer")
        self.edge("outer info", "outer name", "internal", "function_name")
        self.node("context", "object", "system / Context", 20, held_by="gc")
        self.edge("context", "outer info", "internal", "scope_info")
        self.node("big value", name="Cache", size=5000)
        self.edge("context", "big value", "context", "big")
        self.node("small value", name="Thing", size=50)
        self.edge("context", "small value", "context", "small")
        self.function("reader", 20)
        self.function("writer", 30)
        self.script_node = self.places["script"] * len(self.node_fields)
        inner = [(31, 2, 0, 1)] if nested else []
        rows = [(10, 0, 2, 0), (20, 1, 0, 1), (30, 1, 0, 0 if nested else 1), *inner]
        for scope_id, depth, variables, uses in rows:
            self.scopes += [self.script_node, scope_id, depth, variables, uses]
        self.scope_variables += [self.string("big"), self.string("small")]
        self.scope_uses += [10, 1, 10, 0]

    def function(self, name: str, scope_id: int) -> None:
        """A function's SharedFunctionInfo, known to its script; it is not alive by that."""
        info = f"{name} function"
        self.node(info, "code", f"system / SharedFunctionInfo / {name}")
        self.edge("infos", info, "element", 0)
        self.edge(info, "script", "internal", "script")
        self.number(f"{name} id", scope_id, info, "scope_id")
        self.edge(info, "outer info", "internal", "raw_outer_scope_info_or_feedback_metadata")

    def closure(self, name: str, context: str = "context") -> None:
        """A living function."""
        self.node(f"{name} closure", "closure", name, 8, held_by="gc")
        self.edge(f"{name} closure", f"{name} function", "internal", "shared")
        self.edge(f"{name} closure", context, "internal", "context")


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def dead(code: Code, directory: Path, engine: str) -> list[str]:
    found = Loaded(code, directory, engine).snapshot.analyze_contexts()
    return [field.name for scope in found.scopes for context in scope.contexts for field in context.dead_fields]


def test_a_variable_that_no_living_function_uses_is_dead(tmp_path: Path, engine: str) -> None:
    code = Code()
    code.closure("reader")
    loaded = Loaded(code, tmp_path, engine)
    (scope,) = loaded.snapshot.analyze_contexts().scopes
    assert (scope.name, scope.script_name, scope.start, scope.end) == ("outer", "https://example.com/app.js", 100, 200)
    (context,) = scope.contexts
    assert (context.retained_size, context.dead_size) == (5070, 5000)
    assert [(field.name, field.retained_size) for field in context.dead_fields] == [("big", 5000)]


def test_with_both_functions_alive_nothing_is_dead(tmp_path: Path, engine: str) -> None:
    code = Code()
    code.closure("reader")
    code.closure("writer")
    assert dead(code, tmp_path, engine) == []


def test_with_neither_all_is_dead_the_largest_first(tmp_path: Path, engine: str) -> None:
    assert dead(Code(), tmp_path, engine) == ["big", "small"]


def test_a_function_can_still_make_the_one_that_uses_it(tmp_path: Path, engine: str) -> None:
    code = Code(nested=True)
    code.closure("reader")
    code.closure("writer")
    assert dead(code, tmp_path, engine) == []


def test_a_function_of_another_context_does_not_count(tmp_path: Path, engine: str) -> None:
    code = Code()
    code.node("another", "object", "system / Context", 20, held_by="gc")
    code.closure("writer", "another")
    code.closure("reader")
    assert dead(code, tmp_path, engine) == ["big"]


def test_a_context_is_seen_from_those_within_it(tmp_path: Path, engine: str) -> None:
    code = Code()
    code.node("block", "object", "system / Context", 20)
    code.edge("block", "context", "internal", "previous")
    code.closure("writer", "block")
    code.closure("reader")
    assert dead(code, tmp_path, engine) == []


@pytest.mark.parametrize(("at", "expected"), [(3, []), (-1, ["big"])])
def test_a_suspended_generator_lives(tmp_path: Path, engine: str, at: int, expected: list[str]) -> None:
    code = Code()
    code.closure("reader")
    code.node("elsewhere", "object", "system / Context", 20, held_by="gc")
    code.closure("writer", "elsewhere")
    code.node("generator", "object", "Generator", 8, held_by="gc")
    code.node("map", "hidden", "system / Map")
    code.node("kind", "string", "JS_GENERATOR_OBJECT_TYPE")
    code.edge("map", "kind", "internal", "instance_type_name")
    code.edge("generator", "map", "internal", "map")
    code.number("at", at, "generator", "continuation")
    code.edge("generator", "writer closure", "internal", "function")
    code.edge("generator", "context", "internal", "context")
    assert dead(code, tmp_path, engine) == expected


def test_a_module_that_has_run_never_runs_again(tmp_path: Path, engine: str) -> None:
    code = Code()
    code.closure("reader")
    code.function("module", WHOLE)
    code.closure("module")
    code.scopes += [code.script_node, WHOLE, 0, 0, 1]
    code.scope_uses += [10, 0]
    assert dead(code, tmp_path, engine) == []
    code.node("generator", "object", "Generator", 8, held_by="gc")
    code.node("map", "hidden", "system / Map")
    code.node("kind", "string", "JS_ASYNC_FUNCTION_OBJECT_TYPE")
    code.edge("map", "kind", "internal", "instance_type_name")
    code.edge("generator", "map", "internal", "map")
    code.number("at", -1, "generator", "continuation")
    code.edge("generator", "module closure", "internal", "function")
    assert dead(code, tmp_path, engine) == ["big"]


def test_scripts_of_which_nothing_is_known_are_named(tmp_path: Path, engine: str) -> None:
    code = Code()
    code.scopes = []
    found = Loaded(code, tmp_path, engine).snapshot.analyze_contexts()
    assert found.scopes == ()
    assert [(script.name, script.context_count) for script in found.scripts_without_scopes] == [
        ("https://example.com/app.js", 1)
    ]


@pytest.mark.parametrize(
    "scopes",
    [
        [3, 10, 0, 0, 0],  # not the place of a node
        [6_000_000, 10, 0, 0, 0],  # none
        [6, 10, 1, 0, 0],  # within nothing
        [6, 10, 0, 9, 0],  # variables that are not there
        [6, 10, 0, 0, 9],  # uses that are not there
    ],
)
def test_scopes_that_contradict_themselves(tmp_path: Path, engine: str, scopes: list[int]) -> None:
    code = Code()
    code.scopes = scopes
    with pytest.raises(BadSnapshot, match="damaged"):
        dead(code, tmp_path, engine)


def test_chains_that_bite_their_own_tail_have_an_end(tmp_path: Path, engine: str) -> None:
    code = Code()
    code.edge("context", "context", "internal", "previous")
    code.edge("outer info", "outer info", "internal", "outer_scope_info")
    code.closure("reader")
    assert dead(code, tmp_path, engine) == ["big"]
