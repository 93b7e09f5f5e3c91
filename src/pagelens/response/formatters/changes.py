"""What an action changed in its document, in words and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pagelens.core.safe_text import quoted, shortened
from pagelens.response.formatters.effects import address

if TYPE_CHECKING:
    from pagelens.browser.changes import Changes, Named

__all__ = ["changes_json", "changes_lines", "failed_json", "failed_line"]

#: Characters of one element or text.
_SHOWN = 160
#: Requests that failed, named; the rest is counted.
_NAMED = 3
#: States of a control that are told by a word of their own.
_WORDS = {
    ("checked", "true"): "checked",
    ("checked", "false"): "not checked",
    ("expanded", "true"): "expanded",
    ("expanded", "false"): "collapsed",
    ("pressed", "true"): "pressed",
    ("pressed", "false"): "not pressed",
    ("selected", "true"): "selected",
    ("selected", "false"): "not selected",
    ("disabled", "true"): "disabled",
    ("disabled", "false"): "enabled",
}


def changes_lines(changes: Changes) -> list[str]:
    """One line for each kind of change."""
    lines = []
    if changes.control is not None:
        lines.append(f"{_shown(changes.control)} is now {', '.join(_state(*item) for item in changes.state.items())}.")
    if changes.focus is not None:
        lines.append(f"The focus is on {_shown(changes.focus)}.")
    if changes.appeared_count:
        lines.append(f"Appeared: {_listed([_shown(one) for one in changes.appeared], changes.appeared_count)}.")
    if changes.vanished_count:
        lines.append(f"Vanished: {_listed([_cut(one) for one in changes.vanished], changes.vanished_count)}.")
    lines += [f"The page says: {quoted(shortened(text, _SHOWN))}." for text in changes.said]
    if changes.changed_count:
        lines.append(f"Text changed: {_listed([_shown(one) for one in changes.changed], changes.changed_count)}.")
    return lines


def changes_json(changes: Changes) -> dict[str, Any]:
    """JSON twin of `changes_lines`; only the keys of what has changed."""
    found: dict[str, Any] = {}
    if changes.control is not None:
        found["control"] = {**_json(changes.control), "state": changes.state}
    if changes.focus is not None:
        found["focus"] = _json(changes.focus)
    if changes.appeared_count:
        found["appeared"] = {"count": changes.appeared_count, "first": [_json(one) for one in changes.appeared]}
    if changes.vanished_count:
        found["vanished"] = {"count": changes.vanished_count, "first": changes.vanished}
    if changes.said:
        found["said"] = changes.said
    if changes.changed_count:
        found["textChanged"] = {"count": changes.changed_count, "first": [_json(one) for one in changes.changed]}
    return found


def failed_line(failed: Sequence[tuple[str, str]]) -> str:
    """`1 request failed: https://example.com/save (500).`"""
    named = ", ".join(f"{address(url)} ({why})" for url, why in failed[:_NAMED])
    more = f", and {len(failed) - _NAMED} more" if len(failed) > _NAMED else ""
    return f"{len(failed)} request{'s' if len(failed) != 1 else ''} failed: {named}{more}."


def failed_json(failed: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    """JSON twin of `failed_line`."""
    return [{"url": address(url), "why": why} for url, why in failed]


def _state(name: str, value: str) -> str:
    return _WORDS.get((name, value)) or f"{name} {quoted(shortened(value, _SHOWN))}"


def _cut(words: str) -> str:
    return shortened(words, _SHOWN)


def _shown(one: Named) -> str:
    return _cut(str(one))


def _json(one: Named) -> dict[str, str]:
    return {"uid": one.uid, "words": one.words}


def _listed(named: Sequence[str], count: int) -> str:
    more = f", and {count - len(named)} more" if count > len(named) else ""
    return f"{', '.join(named)}{more}"
