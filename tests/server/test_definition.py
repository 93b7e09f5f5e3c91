"""Definitions and their schemas: terse, complete, and refused when they contradict themselves."""

from __future__ import annotations

import json
from typing import Any, Literal

import pytest
from pydantic import Field

from pagelens.core.options import Options
from pagelens.tools import ALL_TOOLS, create_tools
from pagelens.tools.definition import NoParams, ToolDefinition, ToolParams, define_page_tool, define_tool, tool_factory
from pagelens.tools.schema import input_schema, terse_schema


class Inner(ToolParams):
    uid: str = Field(description="Which.")
    value: str | None = Field(default=None, description="What.")


class Params(ToolParams):
    kind: Literal["a", "b"] = Field(default="a", description="Kind.")
    names: list[str] | None = Field(default=None, description="Names.")
    inner: list[Inner] = Field(description="Parts.")
    either: int | str | None = Field(default=None, description="Both.")


def _define(**more: Any) -> ToolDefinition:
    given: dict[str, Any] = {
        "name": "tool",
        "title": "Tool",
        "category": "input",
        "description": "Does.",
        "read_only": False,
        **more,
    }
    define = given.pop("define", define_page_tool)

    async def handler(request: Any, response: Any, context: Any) -> None: ...

    made: ToolDefinition = define(**given)(handler)
    return made


def test_the_schema_says_all_and_no_more() -> None:
    assert terse_schema(Params) == {
        "type": "object",
        "additionalProperties": False,
        "required": ["inner"],
        "properties": {
            "kind": {"type": "string", "enum": ["a", "b"], "default": "a", "description": "Kind."},
            "names": {"type": "array", "items": {"type": "string"}, "description": "Names."},
            "either": {"anyOf": [{"type": "integer"}, {"type": "string"}], "description": "Both."},
            "inner": {
                "type": "array",
                "description": "Parts.",
                "items": {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["uid"],
                    "properties": {
                        "uid": {"type": "string", "description": "Which."},
                        "value": {"type": "string", "description": "What."},
                    },
                },
            },
        },
    }


def test_a_parameter_may_be_called_like_a_word_of_json_schema() -> None:
    class Odd(ToolParams):
        title: str = Field(description="A title.")
        default: str | None = Field(default=None, description="A default.")

    assert set(terse_schema(Odd)["properties"]) == {"title", "default"}


def test_page_tools_take_a_page_id_unless_routing_is_off() -> None:
    tool = _define()
    assert "pageId" in input_schema(tool, Options())["properties"]
    assert "required" not in input_schema(tool, Options())
    assert "pageId" not in input_schema(tool, Options(page_id_routing=False)).get("properties", {})


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"read_only": True, "params": Inner, "verify_files": {"value": "write"}}, "not read-only"),
        ({"verify_files": {"filePath": "read"}}, "names no parameter"),
        ({"category": "sorcery"}, "no category"),
    ],
)
def test_a_definition_that_contradicts_itself_is_refused(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        _define(**wrong)


def test_locks_follow_from_reading_or_writing() -> None:
    assert _define(read_only=True).lock == "read"
    assert _define(read_only=False).lock == "write"
    assert _define(define=define_tool, read_only=True).lock == "none"
    assert _define(define=define_tool, read_only=False).lock == "write"
    assert _define(lock="none").lock == "none"


def test_flags_that_a_tool_needs() -> None:
    assert _define(category="webmcp").missing_flag(Options()) == "with --category-webmcp"
    assert _define(category="webmcp").missing_flag(Options(categories={"webmcp": True})) is None
    assert _define().missing_flag(Options(categories={"input": False})) == "with --category-input"
    conditional = _define(conditions=("accept_insecure_certs",))
    assert conditional.missing_flag(Options()) == "with --accept-insecure-certs"
    assert conditional.missing_flag(Options(accept_insecure_certs=True)) is None
    usual = _define(conditions=("javascript_evaluation",))
    assert usual.missing_flag(Options()) is None
    assert usual.missing_flag(Options(javascript_evaluation=False)) == "without --no-javascript-evaluation"


def test_a_factory_sees_the_options() -> None:
    factory = tool_factory(lambda options: _define(name="slow" if options.verbose else "quick"))
    assert factory.create(Options(verbose=True)).name == "slow"


# -- the real tools ------------------------------------------------------------------------------------


#: The peer's own names, kept as they are.
_NOT_CAMEL_CASE = {"drag": {"from_uid", "to_uid"}}


def test_every_parameter_is_described_in_camel_case() -> None:
    for tool in create_tools(Options()):
        for name, schema in input_schema(tool, Options()).get("properties", {}).items():
            assert schema.get("description"), f"{tool.name}.{name}"
            assert name.isidentifier(), f"{tool.name}.{name}"
            assert "_" not in name or name in _NOT_CAMEL_CASE.get(tool.name, ()), f"{tool.name}.{name}"
            assert name[0].islower(), f"{tool.name}.{name}"


def test_no_schema_carries_noise() -> None:
    for tool in create_tools(Options()):
        text = json.dumps(input_schema(tool, Options()))
        for noise in ('"$ref"', '"$defs"', '"type": "null"', '"default": null', '"title": "'):
            assert noise not in text, f"{tool.name}: {noise}"


def test_names_are_unique_and_the_list_is_small() -> None:
    tools = create_tools(Options())
    assert len({tool.name for tool in tools}) == len(tools) == len(ALL_TOOLS)
    characters = sum(len(tool.description) + len(json.dumps(input_schema(tool, Options()))) for tool in tools)
    assert characters / len(tools) < 900  # the peers send 32 tools in 6,500 tokens, about 800 characters each


def test_no_params_is_an_empty_object() -> None:
    assert terse_schema(NoParams) == {"type": "object", "additionalProperties": False, "properties": {}}
