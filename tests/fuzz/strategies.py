"""Argument objects for tools: right ones, nearly right ones and junk, made from a tool's JSON schema.

What depends on the running browser is a token that `tests.fuzz.arena.Arena` replaces just before the call, so that
the same seed gives the same calls: ``‹uid 3›`` is one of the page's elements, ``‹other uid 0›`` one of another page,
``‹stale uid 0›`` one of a document that is gone, ``‹page›`` the page's id, ``‹other page›``, ``‹closed page›``,
``‹site›`` and ``‹other site›`` the origins of the test site, ``‹dir›`` the working directory, ``‹outside›`` a
directory that may not be touched.

No address leads off this machine: hosts that are not the test site do not resolve (see `Arena`).
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.fuzz.values import ADDRESSES, ANYTHING, FUNCTIONS, HOSTILE_TEXTS, HUGE_TEXTS, KEYS, PATHS, TARGETS, TEXT

__all__ = ["SHORT", "arguments", "likely_arguments"]

#: Milliseconds that a call may be asked to wait for and nobody minds.
SHORT = (1, 20, 100, 300)
TIMEOUTS = st.sampled_from([*SHORT, *SHORT, *SHORT, "50", 0, -1, -(10**30), 60_000, 2**31, 2**63, 10**400])

PAGES = st.sampled_from(
    ["‹page›", "‹page›", "‹page›", "‹other page›", "‹closed page›", 0, -1, 10**9, 2**63, 10**400, "1", 1.0]
)

PLAIN = st.sampled_from(["Ann", "blue", "true", "3", "2024-02-29", "Name", "Go", "Fuzz", "line\nbreak", "*", "/fuzz"])

_BY_NAME: dict[str, st.SearchStrategy[Any]] = {
    "uid": TARGETS,
    "url": ADDRESSES,
    "function": FUNCTIONS,
    "script": FUNCTIONS,
    "initscript": FUNCTIONS,
    "key": KEYS,
    "submitkey": KEYS,
    "timeout": TIMEOUTS,
    "pageid": PAGES,
    "viewport": st.sampled_from(["390x844x3,mobile,touch", "800x600", "1280x720x1,landscape", "", "0x0", "5x5x99"]),
    "geolocation": st.sampled_from(["52.5,13.4", "-33x70", "", "91,0", "here"]),
    "extrahttpheaders": st.sampled_from(['{"X-A": "1"}', "{}", "", '{"Host": "a"}', "X-A: 1", '{"X": null}']),
    "useragent": st.sampled_from(["Bot/1.0", "Mozilla/5.0 Chrome/130.0.0.0 Mobile", ""]) | TEXT,
    "cputhrottlingrate": st.sampled_from([1, 2, 20, 0, 21, 1.5]),
    "width": st.sampled_from([1, 320, 1000, 0, 10**6]),
    "height": st.sampled_from([1, 320, 1000, 0, 10**6]),
}


def _meant_for(name: str) -> st.SearchStrategy[Any] | None:
    """What a parameter of this name expects, when its type does not say it all."""
    folded = name.lower()
    if folded.endswith("path"):
        return PATHS
    if folded.endswith(("uid", "uids")):
        return TARGETS
    return _BY_NAME.get(folded)


def _fitting(name: str, schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values of the right type; often, but not always, with a sense."""
    if "enum" in schema or "const" in schema:
        return st.sampled_from(schema.get("enum") or [schema["const"]])
    if "anyOf" in schema:
        return st.one_of([_fitting(name, choice) for choice in schema["anyOf"]])
    meant = _meant_for(name)
    kind = schema.get("type")
    if kind == "array":
        items = schema.get("items", {})
        inner = TARGETS if name == "args" else _fitting(name, items)
        return st.lists(inner, min_size=schema.get("minItems", 0), max_size=4)
    if meant is not None:
        return meant
    if kind == "boolean":
        return st.booleans()
    if kind in ("integer", "number"):
        return st.sampled_from([0, 1, 2, 20, 100, 1000]) | st.integers(0, 2**70)
    if kind == "object":
        return _object(schema)
    if kind == "string":
        return PLAIN | PLAIN | TEXT | HOSTILE_TEXTS | HUGE_TEXTS
    return ANYTHING


def _object(schema: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    properties = {name: _fitting(name, inner) for name, inner in schema.get("properties", {}).items()}
    required = set(schema.get("required", ()))
    return st.fixed_dictionaries(
        {name: value for name, value in properties.items() if name in required},
        optional={name: value for name, value in properties.items() if name not in required},
    )


def _wrong_names(properties: dict[str, Any]) -> st.SearchStrategy[str]:
    near = [*(name.upper() for name in properties), *(name + "s" for name in properties), "page_id", "timeoutMs"]
    return st.sampled_from(near) | TEXT | HOSTILE_TEXTS | HUGE_TEXTS


def likely_arguments(schema: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Arguments with the right names and types, whatever their sense."""
    return _object(schema)


@st.composite
def arguments(draw: st.DrawFn, schema: dict[str, Any]) -> dict[str, Any]:
    """Arguments for a tool with this JSON schema: two in three of the right types, the others spoilt or junk."""
    properties: dict[str, Any] = schema.get("properties", {})
    kind = draw(st.sampled_from(["right", "right", "right", "right", "spoilt", "random"]))
    if kind == "random":
        names = st.sampled_from(sorted(properties)) | TEXT if properties else TEXT
        return draw(st.dictionaries(names, ANYTHING, max_size=8))
    made = dict(draw(_object(schema)))
    if kind == "right":
        return made
    how = draw(st.sampled_from(["wrong value", "unknown", "missing", "null", "many"]))
    if how == "wrong value" and properties:
        made[draw(st.sampled_from(sorted(properties)))] = draw(ANYTHING)
    elif how == "null" and properties:
        made[draw(st.sampled_from(sorted(properties)))] = None
    elif how == "missing" and made:
        del made[draw(st.sampled_from(sorted(made)))]
    elif how == "many":
        made["‹many names›"] = 3_000
    else:
        made[draw(_wrong_names(properties))] = draw(ANYTHING)
    return made
