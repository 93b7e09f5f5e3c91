"""Values held against a JSON schema that somebody else wrote: a page, for the tools that it offers.

The checking is done by ``jsonschema``. A schema of a stranger must not cost us anything, so: what it refers to is
never fetched; its patterns are matched by an engine that takes linear time (Rust's, which comes with pydantic); and a
check that takes too long ends. What can't be checked (a broken schema, a pattern of another dialect, a reference to
elsewhere) is no fault of the value.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any

from pagelens.core.safe_text import one_line, shortened

__all__ = ["JsonSchema", "NotJson", "faults", "json_type", "plain_json"]

log = logging.getLogger(__name__)

#: Seconds that one check may take.
LIMIT = 0.5
#: So many faults are told of one value.
MOST = 50
#: Characters of one fault.
LONGEST = 300
#: So deep may a value be nested.
DEPTH = 200


class NotJson(ValueError):
    """A Python value has no JSON form; the message says where and why."""


class _TooLong(Exception):
    """The time for a check is up."""


class JsonSchema:
    """A schema, made ready to check many values: do so where a schema is used more than once.

    Attributes:
        is_usable: whether it is a JSON schema at all; one that is not finds no fault with anything.
    """

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._end = 0.0
        self._validator: Any = None
        try:
            self._validator = self._compiled(dict(schema))
        except Exception as error:  # it is a stranger's: whatever the library says of it, it is not usable
            log.info("a JSON schema is not usable: %s", shortened(one_line(str(error)), LONGEST))
        self.is_usable = self._validator is not None

    def faults(self, value: object) -> list[str]:
        """What is wrong with a JSON-like `value`: each fault in words with its place (``items[0].name: …``)."""
        if self._validator is None:
            return []
        found: list[str] = []
        self._end = time.perf_counter() + LIMIT
        try:
            # A list would be lost with the exception that ends it early.
            for error in islice(self._validator.iter_errors(value), MOST):
                found.append(_words(error))
        except _TooLong:
            log.info("checking a value against a JSON schema took more than %g s and was ended", LIMIT)
        except Exception as error:  # endless recursion, a reference to elsewhere, arithmetic: the schema's fault
            log.info("a value could not be checked: %s", shortened(one_line(repr(error)), LONGEST))
        return list(dict.fromkeys(found))

    def _compiled(self, schema: dict[str, Any]) -> Any:
        from jsonschema import Draft202012Validator, FormatChecker
        from jsonschema.validators import validator_for
        from referencing import Registry

        base = validator_for(schema, default=Draft202012Validator)
        # No formats: a pattern may be good JavaScript and no Python.
        base.check_schema(schema, format_checker=FormatChecker(formats=()))
        # An empty registry: a reference to elsewhere is not followed.
        return _harmless(base, schema, self._check_time)(schema, registry=Registry())

    def _check_time(self) -> None:
        if time.perf_counter() > self._end:
            raise _TooLong


def faults(schema: Mapping[str, Any], value: object) -> list[str]:
    """Every fault of a JSON-like `value` (not of the schema), in words, with its place; at most `MOST`.

    `JsonSchema` does the same for a schema that is used again.
    """
    return JsonSchema(schema).faults(value)


def plain_json(value: object, *, where: str = "", depth: int = 0) -> Any:
    """A copy of `value` as JSON has it: dicts with text keys, lists (tuples too), str, int, float, bool, None.

    Raises:
        NotJson: there is something else in it, a number that JSON lacks, or it is nested too deeply (a cycle).
    """
    here = where or "the value"
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            raise NotJson(f"{here} is {value}, which JSON has no number for")
        return float(value)
    if depth >= DEPTH:
        raise NotJson(f"{shortened(here, 100)} is nested more than {DEPTH} levels deep, or holds itself")
    if isinstance(value, Mapping):
        copy = {}
        for key, member in value.items():
            if not isinstance(key, str):
                raise NotJson(f"{here} has the key {shortened(repr(key), 50)}, and JSON's keys are text")
            copy[key] = plain_json(member, where=f"{where}.{key}" if where else key, depth=depth + 1)
        return copy
    if isinstance(value, list | tuple):
        return [plain_json(member, where=f"{where}[{i}]", depth=depth + 1) for i, member in enumerate(value)]
    raise NotJson(f"{here} is a {type(value).__name__}, which has no JSON form")


def json_type(value: object) -> str:
    """What JSON calls the type of a JSON-like value: ``object``, ``array``, ``string``, ``number``…"""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, str):
        return "string"
    if isinstance(value, int | float):
        return "number"
    return "array" if isinstance(value, list | tuple) else "object" if isinstance(value, Mapping) else "no JSON"


def _words(error: Any) -> str:
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.absolute_path)
    what = _message(error)
    if error.validator in ("anyOf", "oneOf") and error.context:
        reasons = dict.fromkeys(_message(inner) for inner in islice(error.context, 10))
        what += " (" + "; ".join(islice(reasons, 3)) + ")"
    place = one_line(place.removeprefix("."))
    return shortened(f"{place}: {what}" if place else what, LONGEST)


def _message(error: Any) -> str:
    value = error.instance
    if error.validator == "type":
        wanted = error.validator_value
        names = " or ".join(map(str, wanted)) if isinstance(wanted, list) else str(wanted)
        shown = "" if isinstance(value, dict | list) or value is None else f" ({_shown(value)})"
        return one_line(f"must be {names}, but is {json_type(value)}{shown}")
    if error.validator == "enum":
        return one_line(f"{_shown(value)} is none of {', '.join(map(_shown, islice(error.validator_value, 20)))}")
    if error.validator == "required":
        return one_line(f"{_shown(_missing(error))} is missing")
    if error.validator == "const":
        return one_line(f"must be {_shown(error.validator_value)}, but is {_shown(value)}")
    return shortened(one_line(str(error.message)), LONGEST)


def _missing(error: Any) -> str:
    """The property that one of several faults of ``required`` is about: the library names it in its words only."""
    missing = [name for name in error.validator_value if name not in error.instance]
    return next((name for name in missing if error.message.startswith(repr(name))), "a property")


def _shown(value: object) -> str:
    return shortened(json.dumps(value, ensure_ascii=False, default=str), 80)


# -- a validator that can do no harm ---------------------------------------------------------------------


def _harmless(base: Any, schema: dict[str, Any], check_time: Callable[[], None]) -> Any:
    from jsonschema.validators import extend

    def timed(rule: Callable[..., Iterator[Any] | None]) -> Callable[..., Iterator[Any]]:
        def checked(validator: Any, expected: Any, instance: Any, schema: Any) -> Iterator[Any]:
            check_time()
            yield from rule(validator, expected, instance, schema) or ()

        return checked

    rules = {
        **base.VALIDATORS,
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": _additional_properties,
    }
    if "patternProperties" in json.dumps(schema):
        rules["unevaluatedProperties"] = _unchecked  # the library holds these patterns against names by itself
    return extend(base, {name: timed(rule) for name, rule in rules.items()})


def _unchecked(validator: Any, expected: Any, instance: Any, schema: Any) -> Iterator[Any]:
    return iter(())


def _pattern(validator: Any, pattern: Any, instance: Any, schema: Any) -> Iterator[Any]:
    from jsonschema import ValidationError

    if validator.is_type(instance, "string") and not _matches(pattern, instance):
        yield ValidationError(f"{_shown(instance)} does not match {_shown(pattern)}")


def _pattern_properties(validator: Any, patterns: Any, instance: Any, schema: Any) -> Iterator[Any]:
    if not validator.is_type(instance, "object"):
        return
    for pattern, subschema in patterns.items():
        for name, member in instance.items():
            if _matches(pattern, name, otherwise=False):
                yield from validator.descend(member, subschema, path=name, schema_path=pattern)


def _additional_properties(validator: Any, allowed: Any, instance: Any, schema: Any) -> Iterator[Any]:
    from jsonschema import ValidationError

    if not validator.is_type(instance, "object") or allowed is True:
        return
    patterns = schema.get("patternProperties", {})
    extras = [
        name
        for name in instance
        if name not in schema.get("properties", {}) and not any(_matches(pattern, name) for pattern in patterns)
    ]
    if isinstance(allowed, dict):
        for name in extras:
            yield from validator.descend(instance[name], allowed, path=name)
        return
    known = ", ".join(map(_shown, islice(schema.get("properties", {}), 20)))
    for name in extras:
        yield ValidationError(f"{_shown(name)} is not among its properties" + (f" ({known})" if known else ""))


def _matches(pattern: str, text: str, *, otherwise: bool = True) -> bool:
    """Whether `pattern` is found in `text`; `otherwise` when it is a pattern that our engine lacks."""
    matcher = _matcher(pattern)
    return otherwise if matcher is None else bool(matcher(text))


@lru_cache(maxsize=256)
def _matcher(pattern: str) -> Callable[[str], bool] | None:
    from pydantic_core import SchemaError, SchemaValidator, core_schema

    try:
        validator = SchemaValidator(core_schema.str_schema(pattern=pattern, regex_engine="rust-regex"))
    except SchemaError:
        log.info("a pattern of a JSON schema is not checked: %s", shortened(one_line(pattern), LONGEST))
        return None
    return validator.isinstance_python
