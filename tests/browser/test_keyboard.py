"""The table of keys and the reading of combinations; no browser needed."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagelens.browser.keyboard import MODIFIERS, down_params, find_key, parse, parse_modifiers, strokes, up_params
from pagelens.errors import InvalidInput

#: Nothing here needs more than a fresh document.
REUSES_PAGE = True


@pytest.mark.parametrize("character", string.printable.strip() + " ")
def test_every_character_of_a_us_keyboard_types_itself(character: str) -> None:
    key = parse(character).key
    assert key.key == character
    assert key.text == character
    assert key.code
    assert key.key_code


@pytest.mark.parametrize(
    ("combination", "modifiers", "key", "code", "key_code"),
    [
        ("Enter", [], "Enter", "Enter", 13),
        ("Control+A", ["Control"], "a", "KeyA", 65),
        ("Control+a", ["Control"], "a", "KeyA", 65),
        ("Control+Shift+A", ["Control", "Shift"], "A", "KeyA", 65),
        ("Control+Shift+a", ["Control", "Shift"], "A", "KeyA", 65),
        ("Shift+1", ["Shift"], "!", "Digit1", 49),
        ("Control++", ["Control"], "+", "Equal", 187),
        ("Control+Plus", ["Control"], "+", "Equal", 187),
        ("Control+-", ["Control"], "-", "Minus", 189),
        ("Shift++", ["Shift"], "+", "Equal", 187),
        ("+", [], "+", "Equal", 187),
        ("Shift+Tab", ["Shift"], "Tab", "Tab", 9),
        ("ctrl + shift + k", ["Control", "Shift"], "K", "KeyK", 75),
        ("Cmd+K", ["Meta"], "k", "KeyK", 75),
        ("Option+Left", ["Alt"], "ArrowLeft", "ArrowLeft", 37),
        ("Control+Control+A", ["Control"], "a", "KeyA", 65),
        ("Control+Space", ["Control"], " ", "Space", 32),
        ("NumpadAdd", [], "+", "NumpadAdd", 107),
        ("F12", [], "F12", "F12", 123),
        ("Control", [], "Control", "ControlLeft", 17),
        ("ShiftRight", [], "Shift", "ShiftRight", 16),
        ("KeyQ", [], "q", "KeyQ", 81),
        ("Digit7", [], "7", "Digit7", 55),
        ("ä", [], "ä", "", 0),
        ("Esc", [], "Escape", "Escape", 27),
    ],
)
def test_combinations(combination: str, modifiers: list[str], key: str, code: str, key_code: int) -> None:
    read = parse(combination)
    assert [modifier.key for modifier in read.modifiers] == modifiers
    assert (read.key.key, read.key.code, read.key.key_code) == (key, code, key_code)
    assert read.bits == sum(MODIFIERS[name] for name in modifiers)


@pytest.mark.parametrize("wrong", ["", "Control+", "+A", "++A", "A+B", "Enter+A", "Nonsense", "Control+Nonsense", "ab"])
def test_what_is_no_combination_is_refused(wrong: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        parse(wrong)
    assert raised.value.hint


def test_shift_is_held_while_it_is_needed_and_never_longer() -> None:
    def pressed(text: str) -> list[str]:
        return [
            f"{params['type'].removeprefix('raw').lower()} {params['key']} {params['modifiers']}"
            for method, params in strokes(text)
            if method == "Input.dispatchKeyEvent"
        ]

    assert pressed("OK") == [
        "keydown Shift 8",
        "keydown O 8",
        "keyup O 8",
        "keydown K 8",
        "keyup K 8",
        "keyup Shift 0",
    ]
    assert pressed("a!")[2:] == ["keydown Shift 8", "keydown ! 8", "keyup ! 8", "keyup Shift 0"]
    assert [method for method, _ in strokes("Äé")] == ["Input.insertText"] * 2
    assert pressed("Aé") == pressed("A")


def test_a_shortcut_types_nothing() -> None:
    key = find_key("a")
    assert down_params(key, 0)["type"] == "keyDown"
    assert down_params(key, 0)["text"] == "a"
    assert down_params(find_key("A"), MODIFIERS["Shift"])["text"] == "A"
    for name in ("Control", "Alt", "Meta"):
        params = down_params(key, MODIFIERS[name])
        assert params["type"] == "rawKeyDown"
        assert "text" not in params


def test_keys_that_type_nothing_and_keys_of_the_pad() -> None:
    assert down_params(find_key("ArrowUp"), 0)["type"] == "rawKeyDown"
    assert down_params(find_key("Enter"), 0)["text"] == "\r"
    pad = down_params(find_key("Numpad5"), 0)
    assert (pad["isKeypad"], pad["location"], pad["text"]) == (True, 3, "5")
    assert up_params(find_key("ControlRight"), 0)["location"] == 2


def test_modifiers_to_hold() -> None:
    assert [key.key for key in parse_modifiers(["ctrl", "Shift", "Control"])] == ["Control", "Shift"]
    with pytest.raises(InvalidInput):
        parse_modifiers(["Enter"])


@given(
    st.text(max_size=12)
    | st.lists(st.sampled_from(["Control", "Shift", "a", "A", "+", "Enter", "é", ""])).map("+".join)
)
def test_any_text_is_a_combination_or_refused(text: str) -> None:
    try:
        read = parse(text)
    except InvalidInput:
        return
    assert all(modifier.key in MODIFIERS for modifier in read.modifiers)
    assert down_params(read.key, read.bits)["key"] == read.key.key
