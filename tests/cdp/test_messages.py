"""Messages survive whatever a page puts into them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagelens.cdp.messages import decode_body, decode_envelope, encode_command

TEXT = st.text(alphabet=st.characters(exclude_categories=()))  # lone surrogates included
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=15,
)


@given(st.dictionaries(TEXT, JSON, max_size=5))
@settings(max_examples=100, derandomize=True, deadline=None)
def test_a_body_comes_through_with_lone_surrogates(body: dict[str, object]) -> None:
    wire = json.dumps({"method": "X.y", "sessionId": "s", "params": body}).encode()
    envelope = decode_envelope(wire)
    assert (envelope.method, envelope.sessionId, envelope.id) == ("X.y", "s", None)
    assert decode_body(envelope.params) == body


@given(st.dictionaries(TEXT, JSON, max_size=5))
@settings(max_examples=100, derandomize=True, deadline=None)
def test_a_command_goes_out_with_lone_surrogates(params: dict[str, object]) -> None:
    wire = encode_command({"id": 1, "method": "X.y", "params": params})
    assert json.loads(wire)["params"] == params


def test_an_error_that_quotes_a_lone_surrogate() -> None:
    envelope = decode_envelope(b'{"id":3,"error":{"code":-32000,"message":"bad \\ud800 thing","data":"d"}}')
    assert envelope.id == 3
    assert envelope.error is not None
    assert (envelope.error.code, envelope.error.message, envelope.error.data) == (-32000, "bad \ud800 thing", "d")


def test_a_complaint_without_an_id() -> None:
    envelope = decode_envelope(b'{"error":{"code":-32700,"message":"JSON: object expected"}}')
    assert (envelope.id, envelope.method) == (None, "")
    assert envelope.error is not None


@pytest.mark.parametrize("wire", [b"[]", b"3", b"{", b"", b'"text"'])
def test_what_is_no_message_is_refused(wire: bytes) -> None:
    with pytest.raises(ValueError, match=r".*"):
        decode_envelope(wire)


def test_a_reply_without_a_result_has_an_empty_body() -> None:
    assert decode_body(decode_envelope(b'{"id":1}').result) == {}
