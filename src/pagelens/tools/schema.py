"""A tool's parameters as JSON schema, in as few tokens as say it all.

Agents pay for ``tools/list`` in every conversation. pydantic's schema carries a title for every field, an
``anyOf`` with null for every optional one, and a ``$defs`` table; none of it tells an agent anything.
"""

from __future__ import annotations

from typing import Any

from pagelens.core.options import Options
from pagelens.tools.definition import ToolDefinition, ToolParams

__all__ = ["input_schema", "terse_schema"]


def input_schema(tool: ToolDefinition, options: Options) -> dict[str, Any]:
    """The schema of what a client may send to `tool`."""
    return terse_schema(tool.arguments(options))


def terse_schema(model: type[ToolParams]) -> dict[str, Any]:
    """`model` as JSON schema: no titles, nothing nullable, no ``$ref``; an optional parameter isn't required."""
    full = model.model_json_schema()
    definitions = full.pop("$defs", {})
    # What describes a model is its docstring: words for us. Fields have their own.
    for described in (full, *definitions.values()):
        described.pop("description", None)
    return _terse(full, definitions)


def _terse(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        target = definitions[schema["$ref"].rsplit("/", 1)[1]]
        return _terse({**target, **{key: value for key, value in schema.items() if key != "$ref"}}, definitions)
    if "anyOf" in schema:
        kept = [choice for choice in schema["anyOf"] if choice.get("type") != "null"]
        if len(kept) == 1:
            # The outer description is the field's, the inner one its type's: the field's wins.
            return _terse({**kept[0], **{key: value for key, value in schema.items() if key != "anyOf"}}, definitions)
        schema = {**schema, "anyOf": kept}
    out: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "title" or (key == "default" and value is None):
            continue
        if key == "properties":
            out[key] = {name: _terse(inner, definitions) for name, inner in value.items()}
        elif key in ("items", "additionalProperties") and isinstance(value, dict):
            out[key] = _terse(value, definitions)
        elif key in ("anyOf", "prefixItems"):
            out[key] = [_terse(inner, definitions) for inner in value]
        else:
            out[key] = value
    return out
