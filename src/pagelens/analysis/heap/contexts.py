"""Closure contexts and the variables in them that nothing can read any more.

V8 keeps the variables of a function that its inner functions use in one *context*, and the context lives as long as any
of these functions: also the variables that only others, long gone, have used. Newer snapshots say which scope uses
which variable. A variable is dead in a context when no living function whose chain of contexts leads there uses it,
nor encloses one that does (that one could still be made).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from pagelens.analysis.heap.filters import Filters, is_context_name
from pagelens.analysis.heap.graph import Graph
from pagelens.analysis.heap.kernels import NONE
from pagelens.analysis.heap.names import Names
from pagelens.errors import BadSnapshot

__all__ = ["ContextAnalysis", "ContextReport", "DeadField", "ScopeReport", "ScriptWithoutScopes", "analyze_contexts"]

#: The scope id of a whole script, module or `eval`.
_SCRIPT_SCOPE = -2
#: Where a generator has come to when it is finished.
_CLOSED = -1
_GENERATORS = ("JS_GENERATOR_OBJECT_TYPE", "JS_ASYNC_FUNCTION_OBJECT_TYPE", "JS_ASYNC_GENERATOR_OBJECT_TYPE")
_SCOPE_INFO = "system / ScopeInfo"
_SCRIPT = "system / Script"


@dataclass(frozen=True, slots=True)
class DeadField:
    """A variable that nothing reads, and the node that is its value."""

    name: str
    value: int
    retained_size: int


@dataclass(frozen=True, slots=True)
class ContextReport:
    """A context with dead variables. ``dead_size`` is the sum of what each of them retains (some may overlap)."""

    node: int
    retained_size: int
    dead_size: int
    dead_fields: tuple[DeadField, ...]


@dataclass(frozen=True, slots=True)
class ScopeReport:
    """A scope in the code, as places in its script, with the contexts that were made for it."""

    node: int
    script: int
    script_name: str
    name: str | None
    start: int
    end: int
    field_count: int
    contexts: tuple[ContextReport, ...]


@dataclass(frozen=True, slots=True)
class ScriptWithoutScopes:
    """A script of which the snapshot does not say what its scopes use."""

    node: int
    name: str
    context_count: int


@dataclass(frozen=True, slots=True)
class ContextAnalysis:
    """All scopes whose contexts hold dead variables, the largest first, and the scripts that can't be judged."""

    scopes: tuple[ScopeReport, ...]
    scripts_without_scopes: tuple[ScriptWithoutScopes, ...]


@dataclass(slots=True, eq=False)
class _Scope:
    id: int
    parent: _Scope | None
    variables: list[str]
    #: By variable: the scopes that use it.
    users: list[list[_Scope]] = field(default_factory=list)


@dataclass(slots=True)
class _Found:
    """A scope with contexts, while they are collected."""

    info: int
    script: int
    scope: _Scope
    fields: list[str]
    contexts: list[tuple[int, list[int]]] = field(default_factory=list)


def analyze_contexts(graph: Graph, names: Names, filters: Filters) -> ContextAnalysis:
    """Find the dead variables of all contexts.

    Raises:
        BadSnapshot: the tables of scopes contradict themselves.
    """
    return _Analysis(graph, names, filters).run()


class _Analysis:
    def __init__(self, graph: Graph, names: Names, filters: Filters) -> None:
        self._graph = graph
        self._names = names
        self._filters = filters
        self._scopes = _read_scopes(graph)
        self._script_names: dict[int, str] = {}
        #: By ScopeInfo node: its script; None where it could not be found.
        self._script_of: dict[int, int | None] = {}
        #: By script and scope id: the contexts that living functions of that scope see.
        self._seen_from: dict[tuple[int, int], set[int]] = {}

    def run(self) -> ContextAnalysis:
        self._scripts()
        self._living_functions()
        found, without = self._collect()
        scopes = [report for item in found if (report := self._report(item)) is not None]
        scopes.sort(key=lambda scope: _rank(scope.contexts[0]))
        return ContextAnalysis(
            tuple(scopes),
            tuple(
                ScriptWithoutScopes(script, self._script_names[script], count)
                for script, count in sorted(without.items())
            ),
        )

    def _named(self, prefix: str) -> list[int]:
        return self._filters.gather(flags=self._filters.name_flags(lambda name: name.startswith(prefix)))

    def _target(self, node: int, name: str) -> int:
        return NONE if node == NONE else self._names.internal_target(node, name)

    def _is_context(self, node: int) -> bool:
        return is_context_name(self._names.raw(node))

    # -- scripts and the scopes that are theirs ------------------------------------------------------

    def _scripts(self) -> None:
        scripts = self._named(_SCRIPT)
        for script in scripts:
            name = self._names.raw(script).removeprefix(_SCRIPT + " / ")
            if name == self._names.raw(script):
                url = self._target(script, "source_url")
                name = "" if url == NONE else self._names.node(url)
            self._script_names[script] = name
        for script in scripts:
            # An eval's scopes end where the calling code begins: those belong to the caller's script.
            stop = self._target(script, "eval_from_scope_info")
            for info in self._scope_infos(self._target(script, "infos")):
                self._claim(info, script, stop)

    def _scope_infos(self, infos: int) -> Iterator[int]:
        """The innermost scopes that a script's list of functions names."""
        if infos == NONE:
            return
        graph, names = self._graph, self._names
        for edge in range(int(graph.first_edge[infos]), int(graph.first_edge[infos + 1])):
            info = int(graph.targets[edge])
            if names.raw(info) == _SCOPE_INFO:
                yield info
            elif names.raw(info).startswith("system / SharedFunctionInfo"):
                own = self._target(info, "name_or_scope_info")
                if own != NONE and names.raw(own) == _SCOPE_INFO:
                    yield own
                    continue
                # Not compiled yet: the scope around it is all there is. A whole script's would be somebody else's.
                scope_id = names.integer(self._target(info, "scope_id"))
                outer = self._target(info, "raw_outer_scope_info_or_feedback_metadata")
                if scope_id not in (None, _SCRIPT_SCOPE) and outer != NONE and names.raw(outer) == _SCOPE_INFO:
                    yield outer

    def _claim(self, info: int, script: int, stop: int) -> None:
        while info != NONE and info != stop and info not in self._script_of:
            self._script_of[info] = script
            if self._is_whole_script(info):
                break
            info = self._target(info, "outer_scope_info")

    def _is_whole_script(self, info: int) -> bool:
        return self._names.integer(self._target(info, "scope_id")) == _SCRIPT_SCOPE

    def _script(self, info: int) -> int | None:
        """The script of a scope: its own, or that of the nearest scope around it that has one."""
        way: list[int] = []
        script: int | None = None
        while info != NONE and info not in way:
            if info in self._script_of:
                script = self._script_of[info]
                break
            way.append(info)
            if self._is_whole_script(info):
                break
            info = self._target(info, "outer_scope_info")
        for met in way:
            self._script_of[met] = script
        return script

    # -- functions that live, and what they see ------------------------------------------------------

    def _living_functions(self) -> None:
        closures = self._filters.gather(kind="closure")
        parts = list(zip(closures, self._targets(closures, "shared"), self._targets(closures, "context"), strict=True))
        finished = self._generators(parts)
        done: set[tuple[int, int]] = set()
        origins: dict[int, tuple[int, int | None]] = {}
        for closure, shared, context in parts:
            if shared == NONE or context == NONE or closure in finished or (shared, context) in done:
                continue
            done.add((shared, context))
            if shared not in origins:
                scope_id = self._names.integer(self._target(shared, "scope_id"))
                origins[shared] = (self._target(shared, "script"), scope_id)
            script, scope_id = origins[shared]
            if script == NONE or scope_id is None:
                continue
            seen = self._seen_from.setdefault((script, scope_id), set())
            while context != NONE and context not in seen and self._is_context(context):
                seen.add(context)
                context = self._target(context, "previous")

    def _generators(self, parts: list[tuple[int, int, int]]) -> set[int]:
        """Add suspended generators to the living; returns functions of modules that have run and never will again."""
        graph, names = self._graph, self._names
        kinds = [place for place in map(graph.place_of, _GENERATORS) if place >= 0]
        finished: set[int] = set()
        if not kinds:
            return finished
        objects = self._filters.gather(kind="object")
        is_generator: dict[int, bool] = {NONE: False}
        for node, map_node in zip(objects, self._targets(objects, "map"), strict=True):
            if map_node not in is_generator:
                kind = self._target(map_node, "instance_type_name")
                is_generator[map_node] = kind != NONE and int(graph.node_names[kind]) in kinds
            if not is_generator[map_node]:
                continue
            at = names.integer(self._target(node, "continuation"))
            function = self._target(node, "function")
            if at is None or function == NONE or graph.node_types[function] != graph.layout.node["closure"]:
                continue
            shared = self._target(function, "shared")
            if at != _CLOSED:
                parts.append((node, shared, self._target(node, "context")))
            elif names.integer(self._target(shared, "scope_id")) == _SCRIPT_SCOPE:
                finished.add(function)
        return finished

    def _targets(self, nodes: list[int], name: str) -> list[int]:
        graph, numbers = self._graph, self._graph.numbers
        place = graph.place_of(name)
        if place < 0:
            return [NONE] * len(nodes)
        out = numbers.zeros("u4", len(nodes))
        graph.kernels.internal_targets(*graph.edges, numbers.of("u4", nodes), place, graph.layout.edge["internal"], out)
        return list(numbers.prefix(out, len(nodes)))

    # -- contexts ------------------------------------------------------------------------------------

    def _collect(self) -> tuple[list[_Found], dict[int, int]]:
        found: dict[int, _Found] = {}
        without: dict[int, int] = {}
        known = {script for script, _ in self._scopes}
        for context in self._filters.gather(flags=self._filters.name_flags(is_context_name)):
            info = self._target(context, "scope_info")
            if info == NONE:
                continue
            item = found.get(info)
            if item is None:
                scope_id = self._names.integer(self._target(info, "scope_id"))
                script = None if scope_id is None else self._script(info)
                if scope_id is None or script is None or script not in self._script_names:
                    continue
                if script not in known:
                    without[script] = without.get(script, 0) + 1
                    continue
                scope = self._scopes.get((script, scope_id))
                if scope is None:
                    continue
                item = found[info] = _Found(info, script, scope, [name for name, _ in self._variables(context)])
            item.contexts.append((context, [value for _, value in self._variables(context)]))
        return list(found.values()), without

    def _variables(self, context: int) -> Iterator[tuple[str, int]]:
        graph, kind = self._graph, self._graph.layout.edge["context"]
        for edge in range(int(graph.first_edge[context]), int(graph.first_edge[context + 1])):
            if graph.edge_types[edge] == kind:
                yield self._names.edge(edge), int(graph.targets[edge])

    def _report(self, item: _Found) -> ScopeReport | None:
        contexts = []
        for context, values in item.contexts:
            dead = [
                DeadField(name, value, int(self._graph.retained_sizes[value]))
                for name, value in zip(item.fields, values, strict=False)
                if name in item.scope.variables and not self._is_used(item, name, context)
            ]
            if dead:
                dead.sort(key=lambda one: -one.retained_size)
                retained = int(self._graph.retained_sizes[context])
                contexts.append(ContextReport(context, retained, sum(one.retained_size for one in dead), tuple(dead)))
        if not contexts:
            return None
        contexts.sort(key=_rank)
        names = self._names
        name = self._target(item.info, "function_name")
        return ScopeReport(
            item.info,
            item.script,
            self._script_names[item.script],
            None if name == NONE else names.node(name),
            names.integer(self._target(item.info, "start_position")) or 0,
            names.integer(self._target(item.info, "end_position")) or 0,
            len(item.fields),
            tuple(contexts),
        )

    def _is_used(self, item: _Found, name: str, context: int) -> bool:
        for user in item.scope.users[item.scope.variables.index(name)]:
            scope: _Scope | None = user
            while scope is not None:
                if context in self._seen_from.get((item.script, scope.id), ()):
                    return True
                scope = scope.parent
        return False


def _rank(context: ContextReport) -> tuple[int, int, int]:
    return -context.dead_size, -context.retained_size, context.node


def _read_scopes(graph: Graph) -> dict[tuple[int, int], _Scope]:
    """The scopes of all scripts, by script node and scope id, with who uses which variable."""
    layout = graph.layout
    fields, variables, uses = layout.scope_fields, layout.scope_variable_fields, layout.scope_use_fields
    wanted = ("script_node_index", "scope_id", "depth", "scope_context_vars_count", "scope_uses_count")
    if any(name not in fields for name in wanted) or "name" not in variables:
        return {}
    if "declaring_scope_id" not in uses or "slot_index" not in uses:
        return {}
    places = [fields.index(name) for name in wanted]
    rows = [tuple(graph.scopes[row + place] for place in places) for row in range(0, len(graph.scopes), len(fields))]
    if sum(max(row[3], 0) for row in rows) * len(variables) > len(graph.scope_variables) or (
        sum(max(row[4], 0) for row in rows) * len(uses) > len(graph.scope_uses)
    ):
        raise BadSnapshot("This heap snapshot is damaged: its scopes have more variables or uses than there are.")
    scopes: dict[tuple[int, int], _Scope] = {}
    enclosing: list[_Scope] = []
    script = None
    at = variables.index("name")
    users: list[tuple[_Scope, int, int]] = []
    for index, scope_id, depth, variable_count, use_count in rows:
        node, rest = divmod(index, len(layout.node_fields))
        if rest or not 0 <= node < graph.node_count:
            raise BadSnapshot(f"This heap snapshot is damaged: a scope's script is {index:,}, which is no node.")
        if node != script:
            script, enclosing = node, []
        if not 0 <= depth <= len(enclosing):
            raise BadSnapshot(
                f"This heap snapshot is damaged: a scope of depth {depth} lies in {len(enclosing)} others."
            )
        names = [graph.scope_variables[at + slot * len(variables)] for slot in range(variable_count)]
        at += max(variable_count, 0) * len(variables)
        if any(not 0 <= name < len(graph.names) for name in names):
            raise BadSnapshot("This heap snapshot is damaged: a variable's name is no string of the file.")
        scope = _Scope(scope_id, enclosing[depth - 1] if depth else None, [graph.names[name] for name in names])
        scope.users = [[] for _ in names]
        enclosing[depth:] = [scope]
        scopes[node, scope_id] = scope
        users.append((scope, node, use_count))
    _read_uses(graph, scopes, users)
    return scopes


def _read_uses(graph: Graph, scopes: dict[tuple[int, int], _Scope], users: list[tuple[_Scope, int, int]]) -> None:
    fields = graph.layout.scope_use_fields
    declaring, slot = fields.index("declaring_scope_id"), fields.index("slot_index")
    at = 0
    for scope, script, count in users:
        for _ in range(count):
            owner = scopes.get((script, graph.scope_uses[at + declaring]))
            place = graph.scope_uses[at + slot]
            if owner is not None and 0 <= place < len(owner.users) and scope not in owner.users[place]:
                owner.users[place].append(scope)
            at += len(fields)
