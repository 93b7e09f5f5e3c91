"""Keys of a US keyboard as Chrome wants them, and combinations such as ``Control+Shift+A``.

Names are those of the DOM's ``KeyboardEvent.key`` and ``code`` (UI Events), with the usual short forms.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pagelens.core.safe_text import quoted
from pagelens.errors import InvalidInput

__all__ = [
    "MODIFIERS",
    "Combination",
    "Key",
    "down_params",
    "find_key",
    "modifier_bits",
    "needs_shift",
    "parse",
    "parse_modifiers",
    "strokes",
    "up_params",
]


@dataclass(frozen=True, slots=True)
class Key:
    """One physical key, as it acts with or without Shift.

    Attributes:
        key: ``KeyboardEvent.key``.
        code: ``KeyboardEvent.code``.
        key_code: the Windows virtual key code, which is ``KeyboardEvent.keyCode``.
        text: what it types; empty for keys that type nothing.
        location: 0 standard, 1 left, 2 right, 3 numeric pad.
        shifted: what the same key is with Shift, None when nothing changes.
    """

    key: str
    code: str
    key_code: int
    text: str = ""
    location: int = 0
    shifted: Key | None = None


@dataclass(frozen=True, slots=True)
class Combination:
    """Modifiers, in the order to press them, and the key they modify."""

    modifiers: tuple[Key, ...]
    key: Key

    @property
    def bits(self) -> int:
        """The modifiers as CDP's bit field."""
        return modifier_bits([modifier.key for modifier in self.modifiers])


#: Bit of each modifier in CDP's ``modifiers``.
MODIFIERS = {"Alt": 1, "Control": 2, "Meta": 4, "Shift": 8}

_SHIFT = MODIFIERS["Shift"]
_IS_MAC = sys.platform == "darwin"


def _named(key: str, key_code: int, *, code: str = "", text: str = "", location: int = 0) -> Key:
    return Key(key, code or key, key_code, text, location)


def _typing(code: str, key_code: int, plain: str, shifted: str) -> list[Key]:
    upper = Key(shifted, code, key_code, shifted)
    return [Key(plain, code, key_code, plain, shifted=upper), upper]


def _table() -> dict[str, Key]:
    keys = [
        _named("Enter", 13, text="\r"),
        _named("Tab", 9),
        _named("Backspace", 8),
        _named("Delete", 46),
        _named("Escape", 27),
        _named("Insert", 45),
        _named("Home", 36),
        _named("End", 35),
        _named("PageUp", 33),
        _named("PageDown", 34),
        _named("ArrowLeft", 37),
        _named("ArrowUp", 38),
        _named("ArrowRight", 39),
        _named("ArrowDown", 40),
        _named("CapsLock", 20),
        _named("NumLock", 144),
        _named("ScrollLock", 145),
        _named("Pause", 19),
        _named("PrintScreen", 44),
        _named("ContextMenu", 93),
        _named("Help", 47),
        _named("Clear", 12, code="NumpadClear"),
        _named("Control", 17, code="ControlLeft", location=1),
        _named("Shift", 16, code="ShiftLeft", location=1),
        _named("Alt", 18, code="AltLeft", location=1),
        _named("Meta", 91, code="MetaLeft", location=1),
        _named("AudioVolumeMute", 173),
        _named("AudioVolumeDown", 174),
        _named("AudioVolumeUp", 175),
        _named("MediaTrackNext", 176),
        _named("MediaTrackPrevious", 177),
        _named("MediaStop", 178),
        _named("MediaPlayPause", 179),
        _named("BrowserBack", 166),
        _named("BrowserForward", 167),
        _named("BrowserRefresh", 168),
        *(_named(f"F{n}", 111 + n) for n in range(1, 25)),
        Key(" ", "Space", 32, " "),
    ]
    for letter in "abcdefghijklmnopqrstuvwxyz":
        keys += _typing(f"Key{letter.upper()}", ord(letter.upper()), letter, letter.upper())
    for digit, sign in zip("0123456789", ")!@#$%^&*(", strict=True):
        keys += _typing(f"Digit{digit}", ord(digit), digit, sign)
    for code, key_code, plain, shifted in (
        ("Semicolon", 186, ";", ":"),
        ("Equal", 187, "=", "+"),
        ("Comma", 188, ",", "<"),
        ("Minus", 189, "-", "_"),
        ("Period", 190, ".", ">"),
        ("Slash", 191, "/", "?"),
        ("Backquote", 192, "`", "~"),
        ("BracketLeft", 219, "[", "{"),
        ("Backslash", 220, "\\", "|"),
        ("BracketRight", 221, "]", "}"),
        ("Quote", 222, "'", '"'),
    ):
        keys += _typing(code, key_code, plain, shifted)
    table = {key.key: key for key in keys}
    # By code: physical keys, and those whose `key` another key has already.
    for key in keys:
        if key.shifted is not None or key.code not in table:
            table.setdefault(key.code, key)
    for digit in "0123456789":
        table[f"Numpad{digit}"] = Key(digit, f"Numpad{digit}", 96 + int(digit), digit, 3)
    for name, key_code, text in (
        ("NumpadAdd", 107, "+"),
        ("NumpadSubtract", 109, "-"),
        ("NumpadMultiply", 106, "*"),
        ("NumpadDivide", 111, "/"),
        ("NumpadDecimal", 110, "."),
    ):
        table[name] = Key(text, name, key_code, text, 3)
    table["NumpadEnter"] = Key("Enter", "NumpadEnter", 13, "\r", 3)
    for name in ("Control", "Shift", "Alt", "Meta"):
        table[f"{name}Right"] = replace(
            table[name], code=f"{name}Right", location=2, key_code=92 if name == "Meta" else table[name].key_code
        )
    for alias, name in {
        "Ctrl": "Control",
        "Cmd": "Meta",
        "Command": "Meta",
        "Win": "Meta",
        "Windows": "Meta",
        "Super": "Meta",
        "Option": "Alt",
        "Opt": "Alt",
        "ControlOrMeta": "Meta" if _IS_MAC else "Control",
        "CmdOrCtrl": "Meta" if _IS_MAC else "Control",
        "Return": "Enter",
        "Esc": "Escape",
        "Del": "Delete",
        "Ins": "Insert",
        "Left": "ArrowLeft",
        "Up": "ArrowUp",
        "Right": "ArrowRight",
        "Down": "ArrowDown",
        "PgUp": "PageUp",
        "PgDn": "PageDown",
        "Spacebar": " ",
        "Plus": "+",
        "\n": "Enter",
        "\r": "Enter",
        "\t": "Tab",
    }.items():
        table[alias] = table[name]
    return table


_KEYS = _table()
_BY_LOWER = {name.lower(): key for name, key in _KEYS.items() if len(name) > 1}

#: What macOS does on a shortcut in a text field; Chrome leaves it to the system, which never sees our keys.
_MAC_COMMANDS = {
    "Meta+KeyA": "selectAll",
    "Meta+KeyC": "copy",
    "Meta+KeyX": "cut",
    "Meta+KeyV": "paste",
    "Meta+KeyZ": "undo",
    "Shift+Meta+KeyZ": "redo",
    "Meta+ArrowLeft": "moveToBeginningOfLine",
    "Meta+ArrowRight": "moveToEndOfLine",
    "Meta+ArrowUp": "moveToBeginningOfDocument",
    "Meta+ArrowDown": "moveToEndOfDocument",
    "Shift+Meta+ArrowLeft": "moveToBeginningOfLineAndModifySelection",
    "Shift+Meta+ArrowRight": "moveToEndOfLineAndModifySelection",
    "Shift+Meta+ArrowUp": "moveToBeginningOfDocumentAndModifySelection",
    "Shift+Meta+ArrowDown": "moveToEndOfDocumentAndModifySelection",
    "Alt+ArrowLeft": "moveWordLeft",
    "Alt+ArrowRight": "moveWordRight",
    "Shift+Alt+ArrowLeft": "moveWordLeftAndModifySelection",
    "Shift+Alt+ArrowRight": "moveWordRightAndModifySelection",
    "Alt+Backspace": "deleteWordBackward",
    "Alt+Delete": "deleteWordForward",
    "Meta+Backspace": "deleteToBeginningOfLine",
    "Meta+Delete": "deleteToEndOfLine",
}


def find_key(name: str) -> Key:
    """The key of a name: a character, a ``key`` or ``code`` of the DOM, or a usual short form.

    A character that no key of the US layout types is a key of its own, without a code.

    Raises:
        InvalidInput: no key is called that.
    """
    key = _KEYS.get(name) or _BY_LOWER.get(name.lower())
    if key is not None:
        return key
    if len(name) == 1 and name.isprintable():
        return Key(name, "", 0, name)
    raise InvalidInput(
        f"{quoted(name[:40])} names no key.",
        "Use a character, or a name such as Enter, Tab, Escape, ArrowDown, PageUp, F5, NumpadAdd; "
        "combine with Control, Shift, Alt, Meta: Control+Shift+A.",
    )


def parse(combination: str) -> Combination:
    """Read ``Control+A``, ``Shift+Tab``, ``Control++`` or a single key.

    Raises:
        InvalidInput: an unknown key, or a part before the last that is no modifier.
    """
    if combination == "":
        raise InvalidInput("No key was named.", "Name one, such as Enter or Control+A.")
    # The last part may be the plus key itself: "+", "Control++", "Control+Plus".
    if combination == "+" or combination.endswith("++"):
        names = [*combination[:-2].split("+"), "+"] if len(combination) > 1 else ["+"]
    else:
        names = combination.split("+")
    parts = [find_key(name if name.strip() == "" else name.strip()) for name in names if name or len(names) == 1]
    if len(parts) != len(names):
        raise InvalidInput(f"{quoted(combination[:60])} has an empty part.", "Write Control++ for Control and plus.")
    *modifiers, key = parts
    for modifier in modifiers:
        if modifier.key not in MODIFIERS:
            raise InvalidInput(
                f"{quoted(modifier.key)} in {quoted(combination[:60])} is no modifier.",
                "Only Control, Shift, Alt and Meta can be held; press other keys one after another.",
            )
    unique = tuple(dict.fromkeys(modifiers))
    bits = modifier_bits([modifier.key for modifier in unique])
    if bits & _SHIFT and key.shifted is not None:
        key = key.shifted
    elif key.text.isalpha() and key.text.isupper() and bits and not bits & _SHIFT and key.code:
        # "Control+A" means the key A, as menus write it; Shift is named when it is meant.
        key = find_key(key.text.lower())
    return Combination(unique, key)


def parse_modifiers(names: Sequence[str]) -> tuple[Key, ...]:
    """The keys of modifiers to hold during a click.

    Raises:
        InvalidInput: one is none.
    """
    keys = [find_key(name) for name in names]
    for name, key in zip(names, keys, strict=True):
        if key.key not in MODIFIERS:
            raise InvalidInput(f"{quoted(name[:40])} is no modifier.", "Use Control, Shift, Alt or Meta.")
    return tuple(dict.fromkeys(keys))


def modifier_bits(names: Iterable[str]) -> int:
    """CDP's bit field for modifiers by name."""
    bits = 0
    for name in names:
        bits |= MODIFIERS[name]
    return bits


def down_params(key: Key, bits: int) -> dict[str, Any]:
    """``Input.dispatchKeyEvent`` for pressing `key` while the modifiers of `bits` are held."""
    # With Control, Alt or Meta held a key types nothing: it is a shortcut.
    text = key.text if not bits & ~_SHIFT else ""
    params: dict[str, Any] = {
        "type": "keyDown" if text else "rawKeyDown",
        "modifiers": bits,
        **_common(key),
    }
    if text:
        params["text"] = text
        params["unmodifiedText"] = text
    if _IS_MAC and (command := _mac_command(key, bits)):
        params["commands"] = [command]
    return params


def up_params(key: Key, bits: int) -> dict[str, Any]:
    """``Input.dispatchKeyEvent`` for releasing `key`; `bits` are the modifiers held after it."""
    return {"type": "keyUp", "modifiers": bits, **_common(key)}


def needs_shift(key: Key) -> bool:
    """Whether a person can type this only with Shift held: a capital, or what is above on a key."""
    return bool(key.code) and key.text != "" and key.shifted is None and find_key(key.code).text != key.text


def strokes(text: str) -> list[tuple[str, dict[str, Any]]]:
    """The commands that type `text` key by key; Shift is held while it is needed, as by a person.

    A character that no key has is put in as an input method does.
    """
    shift = find_key("Shift")
    commands: list[tuple[str, dict[str, Any]]] = []
    bits = 0
    for char in [*text, ""]:
        try:
            key = find_key(char) if char else None
        except InvalidInput:
            key = None
        wanted = _SHIFT if key is not None and needs_shift(key) else 0
        if wanted != bits:
            params = down_params(shift, wanted) if wanted else up_params(shift, wanted)
            commands.append(("Input.dispatchKeyEvent", params))
            bits = wanted
        if key is not None and key.code:
            commands.append(("Input.dispatchKeyEvent", down_params(key, bits)))
            commands.append(("Input.dispatchKeyEvent", up_params(key, bits)))
        elif char:
            commands.append(("Input.insertText", {"text": char}))
    return commands


def _common(key: Key) -> dict[str, Any]:
    params: dict[str, Any] = {
        "key": key.key,
        "code": key.code,
        "windowsVirtualKeyCode": key.key_code,
        "location": key.location,
    }
    if key.location == 3:
        params["isKeypad"] = True
    return params


def _mac_command(key: Key, bits: int) -> str | None:
    held = [name for name in ("Shift", "Alt", "Control", "Meta") if bits & MODIFIERS[name]]
    return _MAC_COMMANDS.get("+".join([*held, key.code]))
