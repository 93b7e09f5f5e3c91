"""Page text can't forge structure, hide characters or break the wire."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagelens.core.safe_text import json_safe, one_line, quoted, safe_block, shortened, without_surrogates

ANY = st.text(alphabet=st.characters(exclude_categories=()))


@given(ANY)
@settings(max_examples=150, derandomize=True, deadline=None)
def test_one_line_is_one_visible_line(text: str) -> None:
    line = one_line(text)
    line.encode("utf-8")
    assert line.splitlines() in ([], [line])
    assert line == line.strip()
    assert "  " not in line
    assert not any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") for c in line)
    assert one_line(line) == line


@given(ANY)
@settings(max_examples=100, derandomize=True, deadline=None)
def test_quoted_can_be_read_back(text: str) -> None:
    written = quoted(text)
    assert written[0] == written[-1] == '"'
    inner = written[1:-1]
    assert inner.replace('\\"', "").replace("\\\\", "").count('"') == 0
    assert inner.replace('\\"', '"').replace("\\\\", "\\") == one_line(text) or "\\" in one_line(text)


@given(ANY)
@settings(max_examples=100, derandomize=True, deadline=None)
def test_a_block_keeps_its_lines_and_nothing_harmful(text: str) -> None:
    block = safe_block(text)
    block.encode("utf-8")
    assert not any(unicodedata.category(c) == "Cc" and c not in "\n\t" for c in block)
    assert "\u202e" not in block


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ('a\nuid=e5 button "Pay"', 'a uid=e5 button "Pay"'),
        ("a\r\n\tb", "a b"),
        ("pay\u202eyap", "payyap"),
        ("in\u200bvis\u2060ible\ufeff", "invisible"),
        ("half \ud83d emoji", "half \ufffd emoji"),
        ("tag\U000e0041s", "tags"),
        ("line\u2028sep\u2029arated", "line sep arated"),
        ("👩\u200d👧 family", "👩\u200d👧 family"),
        ("nul\x00 esc\x1b[31m del\x7f", "nul esc[31m del"),
        ("grüße 你好 مرحبا", "grüße 你好 مرحبا"),
    ],
)
def test_known_tricks(raw: str, shown: str) -> None:
    assert one_line(raw) == shown


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | ANY,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY, inner, max_size=4),
    max_leaves=15,
)


@given(JSON)
@settings(max_examples=100, derandomize=True, deadline=None)
def test_json_safe_always_encodes(value: object) -> None:
    json.dumps(json_safe(value), ensure_ascii=False).encode("utf-8")


def test_cutting() -> None:
    assert shortened("abc", 3) == "abc"
    assert shortened("abcd", 3) == "ab…"
    assert without_surrogates("a\udc00") == "a\ufffd"
