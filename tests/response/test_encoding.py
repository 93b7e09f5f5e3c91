"""TOON and GCF: whatever a list holds comes back from the official decoders, or is shown as plain text."""

from __future__ import annotations

import importlib.util
import logging
from typing import Any

import gcf
import pytest
import toon_format
from hypothesis import given, settings
from hypothesis import strategies as st

from pagelens.core.options import DATA_FORMATS
from pagelens.errors import InvalidInput
from pagelens.response import encoding
from pagelens.response.encoding import Encoder, check_installed, encoder_for
from pagelens.response.listing import Listing, table
from pagelens.response.output import Output
from pagelens.response.pagination import paginate

DECODE = {"toon": toon_format.decode, "gcf": gcf.decode_generic}

#: What the formats' own languages are made of.
_NASTY = [
    *(
        " ",
        '"',
        "\\",
        "-",
        "~",
        "^",
        "^{a}",
        "null",
        "true",
        "1.0",
        "01",
        "1e5",
        "+1",
        ".5",
        "[1]",
        "[3]: a",
        "x [2]{a}",
    ),
    *("@1", "## x", "#", ": ", "a: b", "a,b", "a|b", '{"a":1}', "- a", "a>b", "=x"),
]
_TEXT = st.one_of(st.text(max_size=20), st.sampled_from(_NASTY), st.just("|"), st.just(""), st.just(" a"))
_CELL = st.one_of(st.none(), st.integers(-(2**53), 2**53), st.booleans(), _TEXT)
_ROWS = st.lists(st.sampled_from(["id", "url", "text", "status", "note"]), min_size=1, unique=True).flatmap(
    lambda columns: st.lists(st.fixed_dictionaries(dict.fromkeys(columns, _CELL)), min_size=1, max_size=8)
)


def decoded(name: str, text: str) -> dict[str, Any]:
    """A list as a reader of the format gets it, with what rows have in common put back."""
    found = dict(DECODE[name](text))
    shared = found.pop("rowsInCommon", {})
    found["rows"] = [{**shared, **row} for row in found["rows"]]
    return found


@pytest.mark.parametrize("name", DATA_FORMATS)
@given(rows=_ROWS, about=st.one_of(st.none(), _TEXT))
@settings(max_examples=100)
def test_rows_come_back(name: str, rows: list[dict[str, Any]], about: str | None) -> None:
    data = table("rows", rows, about=about)
    text = Encoder(name).encode(data)
    assert text is not None
    assert decoded(name, text) == data
    assert not text.endswith("\n")


def test_columns_without_any_value_are_left_out() -> None:
    rows = [{"id": 1, "note": None, "status": None}, {"id": 2, "note": None, "status": 200}]
    assert table("rows", rows, about=None) == {"rows": [{"id": 1, "status": None}, {"id": 2, "status": 200}]}


@pytest.mark.parametrize("name", DATA_FORMATS)
def test_what_all_rows_share_is_said_once(name: str) -> None:
    data = table("rows", [{"id": n, "method": "GET", "type": "fetch"} for n in range(20)])
    text = Encoder(name).encode(data)
    assert text is not None
    assert text.count("GET") == 1
    assert decoded(name, text) == data


def test_rows_that_are_all_alike_keep_their_columns() -> None:
    data = table("rows", [{"a": 1}, {"a": 1}])
    assert decoded("toon", str(Encoder("toon").encode(data))) == data


def test_a_value_that_the_encoder_would_change_is_not_encoded(caplog: pytest.LogCaptureFixture) -> None:
    # gcf-python 2.8.0 cuts the last digits of numbers below 0.0001.
    value = 1.5248782697312924e-05
    if gcf.decode_generic(gcf.encode_generic({"v": value})) == {"v": value}:
        pytest.skip("this version of gcf-python keeps them: the guard has nothing to do")
    assert Encoder("gcf").encode(table("rows", [{"v": value}])) is None
    assert "would have changed" in caplog.text


def test_what_the_encoder_refuses_is_not_encoded(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.CRITICAL, "pagelens"):
        assert Encoder("gcf").encode(table("rows", [{"id": 2**70}])) is None
        assert Encoder("toon").encode(table("rows", [{"id": "\ud800"}])) is None


def listing(values: list[Any]) -> Listing[Any]:
    return Listing(
        key="rows",
        page=paginate(values),
        text=lambda items: [f"value {item}" for item in items],
        data=lambda items: table("rows", [{"v": item} for item in items]),
        json=list,
    )


def test_the_text_is_encoded_and_the_json_stays_plain() -> None:
    out = Output("list", encoder_for("toon"))
    out.heading("Rows")
    out.items(listing([1, 2]))
    assert out.lines == ["## Rows", "Showing 1-2 of 2 (page 1 of 1).", "rows[2]{v}:", "  1", "  2"]
    assert out.json["rows"] == [1, 2]
    assert out.whole_text == "## Rows\nShowing 1-2 of 2 (page 1 of 1).\nvalue 1\nvalue 2"


def test_what_can_t_be_encoded_is_shown_as_plain_text_and_that_is_said() -> None:
    out = Output("list", encoder_for("gcf"))
    out.items(listing([2**70]))
    assert out.lines[1:] == ["(Plain text: gcf can't hold this exactly.)", f"value {2**70}"]


def test_an_empty_list_is_not_encoded() -> None:
    out = Output("list", encoder_for("toon"))
    out.items(listing([]))
    assert out.lines == []


@pytest.mark.parametrize(("name", "package"), [("toon", "toon-format"), ("gcf", "gcf-python")])
def test_a_missing_encoder_is_named_with_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, name: str, package: str
) -> None:
    monkeypatch.setattr(encoding, "_loaded", {})
    monkeypatch.setattr(importlib.util, "find_spec", lambda module: None)
    with pytest.raises(InvalidInput, match=rf"{package}.*pip install 'pagelens\[{name}\]'"):
        encoder_for(name)
    with pytest.raises(InvalidInput):
        check_installed(name)


def test_plain_text_loads_no_encoder() -> None:
    assert encoder_for(None) is None
