"""A client's arguments made into a tool's parameters, or one error that names everything wrong with them.

What an agent gets wrong but can only mean one way is taken as meant: ``"12"`` for a number, a number for a text, null
for a parameter left out, a list as JSON text or a bare ``"a"`` for a list of texts. Everything else is refused at once.
"""

from __future__ import annotations

import difflib
import json
import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from pagelens.core.safe_text import quoted, shortened
from pagelens.errors import InvalidInput
from pagelens.tools.definition import ToolParams

__all__ = ["nearest", "parse_arguments"]

#: What a value must be, by pydantic's kinds of error; other kinds have words of their own ("must be 'a' or 'b'").
_WANTED = {
    "bool_parsing": "must be true or false",
    "bool_type": "must be true or false",
    "dict_type": "must be an object",
    "float_parsing": "must be a number",
    "float_type": "must be a number",
    "int_from_float": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_type": "must be a whole number",
    "list_type": "must be a list",
    "model_type": "must be an object",
    "string_type": "must be a text",
}
_SHOWN = 60  # characters of a wrong name or value that are repeated to the agent
_LISTS = (list, tuple, set, frozenset, Sequence)
_MOST_NAMED = 10  # a hostile call may have a million wrong names


def parse_arguments(tool: str, model: type[ToolParams], arguments: Mapping[str, Any]) -> ToolParams:
    """Validate `arguments` for `tool`.

    Raises:
        InvalidInput: unknown names (with the nearest right one) and wrong values, all of them.
    """
    fields = model.model_fields
    unknown = [name for name in arguments if name not in fields]
    meant = {
        name: _as_meant(value, fields[name].annotation)
        for name, value in arguments.items()
        if name in fields and not (value is None and not fields[name].is_required())
    }
    problems = [_unknown(name, fields) for name in unknown[:_MOST_NAMED]]
    if len(unknown) > _MOST_NAMED:
        problems.append(f"{len(unknown) - _MOST_NAMED} more unknown arguments")
    params: ToolParams | None = None
    try:
        params = model.model_validate(meant)
    except ValidationError as error:
        wrong = error.errors(include_url=False, include_context=True, include_input=True)
        problems += [_wrong(dict(entry)) for entry in wrong[:_MOST_NAMED]]
        if len(wrong) > _MOST_NAMED:
            problems.append(f"{len(wrong) - _MOST_NAMED} more wrong values")
    if problems or params is None:
        raise InvalidInput(
            f"{tool} was not run, its arguments are wrong: " + "; ".join(problems) + ".",
            _signature(tool, model),
        )
    return params


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The one of `names` that was most likely meant by `name`; None when nothing is near."""
    by_folded = {_folded(known): known for known in names}
    found = difflib.get_close_matches(_folded(name[:_SHOWN]), by_folded, n=1, cutoff=0.6)
    return by_folded[found[0]] if found else None


def _folded(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


def _unknown(name: str, fields: Mapping[str, Any]) -> str:
    near = nearest(name, fields)
    return f"there is no {quoted(shortened(name, _SHOWN))}" + (f" (did you mean {near}?)" if near else "")


def _wrong(entry: dict[str, Any]) -> str:
    where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in entry["loc"]).lstrip(".")
    where = shortened(where, 2 * _SHOWN) or "arguments"
    kind = entry["type"]
    if kind == "missing":
        return f"{where} is missing"
    if kind == "extra_forbidden":
        return f"there is no {where}"
    if kind == "value_error":  # a model's own rule, which speaks about several fields
        return str(entry["ctx"]["error"])
    wanted = _WANTED.get(kind) or entry["msg"].replace("Input should ", "must ", 1)
    return f"{where} {wanted}, not {_shown(entry['input'])}"


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return quoted(shortened(value, _SHOWN))
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    if value is None:
        return "null"
    return shortened(str(value), _SHOWN)


def _signature(tool: str, model: type[ToolParams]) -> str:
    """All arguments, the needed ones first: ``click takes uid, and optionally dblClick, pageId.``"""
    needed = [name for name, info in model.model_fields.items() if info.is_required()]
    optional = [name for name, info in model.model_fields.items() if not info.is_required()]
    if not needed and not optional:
        return f"{tool} takes no arguments."
    if not needed:
        return f"{tool} takes, all optional: {', '.join(optional)}."
    return f"{tool} takes {', '.join(needed)}" + (f", and optionally {', '.join(optional)}." if optional else ".")


def _as_meant(value: Any, annotation: Any) -> Any:
    """`value` in the type it was plainly meant to have; anything doubtful stays as it is, to be refused."""
    kinds = _kinds(annotation)
    if isinstance(value, bool) and bool not in kinds and (int in kinds or float in kinds):
        return _NotANumber(value)
    if isinstance(value, str) and list in kinds and str not in kinds:
        text = value.strip()
        if text.startswith("["):
            try:
                parsed = json.loads(text)
            except ValueError:
                return value
            return parsed if isinstance(parsed, list) else value
        return [value] if text else value
    if isinstance(value, str) and dict in kinds and str not in kinds and value.strip().startswith("{"):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


class _NotANumber:
    """A boolean where a number is wanted: pydantic would read true as 1, an agent never means that."""

    def __init__(self, value: bool) -> None:
        self.value = value

    def __str__(self) -> str:
        return "true" if self.value else "false"


def _kinds(annotation: Any) -> set[Any]:
    """The plain types behind an annotation: ``list[str] | None`` has list and NoneType."""
    origin = typing.get_origin(annotation)
    if origin in (typing.Union, types.UnionType):
        return set().union(*map(_kinds, typing.get_args(annotation)))
    if origin is typing.Annotated:
        return _kinds(typing.get_args(annotation)[0])
    if origin is typing.Literal:
        return {type(choice) for choice in typing.get_args(annotation)}
    plain = origin or annotation
    return {list} if plain in _LISTS else {plain}
