"""Console arguments as text: what a person reads in the console, on as few characters as it takes.

Works on ``Runtime.RemoteObject`` and its ``preview``, so nothing is asked of the page. Chrome has already
converted the arguments of ``%s``, ``%d``, ``%i`` and ``%f`` when it reports a call; what is left to do is
to put them in place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

__all__ = ["expanded", "preview_text", "remote_text"]

#: Characters of one previewed object; the whole value is fetched when somebody asks for it.
PREVIEW_LIMIT = 400
#: Characters of a function's source.
FUNCTION_LIMIT = 60

_DIRECTIVE = re.compile(r"%([%_Oocsdfi])")
#: Its own name would only repeat what the brackets say.
_PLAIN_CLASSES = frozenset({"Object", "Array"})
_STACK = re.compile(r"\n\s+at .*", re.DOTALL)


def expanded(args: Sequence[dict[str, Any]]) -> str:
    """The text of a console call: a format string filled in, everything else one after another.

    ``%c`` and its style leave no trace; a directive without an argument stays as it is written.
    """
    if not args:
        return ""
    first, rest = args[0], list(args[1:])
    if first.get("type") != "string":
        return " ".join(remote_text(arg) for arg in args)
    text = str(first.get("value", ""))
    if "%" in text and (rest or "%%" in text):

        def fill(match: re.Match[str]) -> str:
            directive = match[1]
            if directive == "%":
                return "%"
            if not rest:
                return match[0]
            arg = rest.pop(0)
            if directive in "c_":
                return ""
            return remote_text(arg)

        text = _DIRECTIVE.sub(fill, text)
    return " ".join([text, *(remote_text(arg) for arg in rest)])


def remote_text(value: dict[str, Any]) -> str:
    """One argument: a string as it is, anything else as the console would show it."""
    kind, subtype = value.get("type"), value.get("subtype")
    if kind == "string":
        return str(value.get("value", ""))
    if kind == "undefined":
        return "undefined"
    if subtype == "null":
        return "null"
    if kind == "boolean":
        return "true" if value.get("value") else "false"
    if kind == "function":
        return _function_text(str(value.get("description", "")))
    preview = value.get("preview")
    if kind == "object" and isinstance(preview, dict):
        return _short(preview_text(preview), PREVIEW_LIMIT)
    return str(value.get("description", value.get("unserializableValue", value.get("value", kind))))


def preview_text(preview: dict[str, Any]) -> str:
    """A ``Runtime.ObjectPreview``: ``{a: 1, b: Array(3)}``, ``Map(1) {'k' => 2}``, ``<div#main>``."""
    kind, subtype = preview.get("type"), preview.get("subtype")
    description = str(preview.get("description", ""))
    if kind == "string":
        return _string_text(description)
    if kind == "function":
        return _function_text(description)
    if kind != "object" or subtype in ("null", "regexp", "date", "proxy", "wasmvalue"):
        return description
    if subtype == "error":
        return _error_text(preview)
    if subtype == "node":
        return _node_text(description)
    properties = preview.get("properties", [])
    more = ", …" if preview.get("overflow") else ""
    if subtype in ("array", "typedarray"):
        # An array may have named properties too, worth a word; those of a typed array are always the same.
        items = [
            _property_value(p) if p.get("name", "").isdigit() else _property(p)
            for p in properties
            if subtype == "array" or p.get("name", "").isdigit()
        ]
        name = "" if description.startswith("Array") and not more else f"{description} "
        return f"{name}[{', '.join(items)}{more}]"
    if "entries" in preview:
        pairs = []
        for entry in preview["entries"]:
            shown = preview_text(entry["value"])
            pairs.append(f"{preview_text(entry['key'])} => {shown}" if "key" in entry else shown)
        return f"{description} {{{', '.join(pairs)}{more}}}"
    name = "" if description in _PLAIN_CLASSES else f"{description} "
    if subtype == "promise" or description.startswith("Promise"):
        states = {p.get("name"): p for p in properties}
        state = str(states.get("[[PromiseState]]", {}).get("value", "pending"))
        result = states.get("[[PromiseResult]]")
        shown = f": {_property_value(result)}" if result is not None and state != "pending" else ""
        return f"{name}{{<{state}>{shown}}}"
    return f"{name}{{{', '.join(_property(p) for p in properties)}{more}}}"


def _error_text(preview: dict[str, Any]) -> str:
    """Name, message and cause of an error; its stack is told apart from its text."""
    text = _STACK.sub("", str(preview.get("description", "")))
    cause = next((p for p in preview.get("properties", []) if p.get("name") == "cause"), None)
    return text if cause is None else f"{text} (cause: {_property_value(cause)})"


def _property(prop: dict[str, Any]) -> str:
    return f"{prop.get('name', '')}: {_property_value(prop)}"


def _property_value(prop: dict[str, Any]) -> str:
    nested = prop.get("valuePreview")
    if isinstance(nested, dict):
        return preview_text(nested)
    kind, value = prop.get("type"), str(prop.get("value", ""))
    if kind == "string":
        return _string_text(value)
    if kind == "function":
        return "ƒ"
    if kind == "accessor":
        return "(...)"
    if prop.get("subtype") == "error":
        return _STACK.sub("", value)
    if prop.get("subtype") == "node":
        return _node_text(value)
    return "{…}" if value == "Object" else value


def _string_text(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'"


def _node_text(description: str) -> str:
    # Elements are described like a selector, everything else by its node name (`#text`, `document`).
    return description if description.startswith("#") else f"<{description}>"


def _function_text(source: str) -> str:
    if source.startswith("class"):
        return _short(source.split("{", 1)[0].strip(), FUNCTION_LIMIT)
    head = source.split("{", 1)[0] if "{" in source else source
    head = head.removeprefix("async ").removeprefix("function").strip()
    return _short(f"ƒ {' '.join(head.split())}".rstrip(), FUNCTION_LIMIT)


def _short(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
