"""The check of what we send: it must be able to object."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.protocol import Protocol, ProtocolViolation, Watch


@pytest.fixture(scope="module")
def protocol(_protocol_watch: Watch) -> Protocol:
    return _protocol_watch.protocol


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("Page.navigate", {"url": "about:blank"}),
        ("Runtime.evaluate", {"expression": "1", "timeout": 5, "returnByValue": True}),
        ("Target.setAutoAttach", {"autoAttach": True, "waitForDebuggerOnStart": True, "filter": [{"type": "page"}]}),
        ("Runtime.callFunctionOn", {"functionDeclaration": "f", "arguments": [{"value": {"any": [1, None]}}]}),
    ],
)
def test_good_commands_pass(protocol: Protocol, method: str, params: dict[str, Any]) -> None:
    protocol.check_command(method, params)


@pytest.mark.parametrize(
    ("method", "params", "words"),
    [
        ("Page.navigat", {"url": "about:blank"}, "no command"),
        ("Page.navigate", {}, "lacks url"),
        ("Page.navigate", {"url": "x", "refferer": "y"}, "does not take refferer"),
        ("Page.navigate", {"url": 5}, "must be string"),
        ("Page.navigate", {"url": "x", "transitionType": "telepathy"}, "must be one of"),
        ("Runtime.evaluate", {"expression": "1", "returnByValue": "yes"}, "must be boolean"),
        ("Runtime.evaluate", {"expression": "1", "contextId": True}, "must be integer"),
        ("Target.setAutoAttach", {"autoAttach": True, "waitForDebuggerOnStart": True, "filter": [{"of": ""}]}, "of"),
    ],
)
def test_bad_commands_are_named(protocol: Protocol, method: str, params: dict[str, Any], words: str) -> None:
    with pytest.raises(ProtocolViolation, match=words):
        protocol.check_command(method, params)


def test_events_are_checked(protocol: Protocol) -> None:
    protocol.check_event("Page.lifecycleEvent")
    with pytest.raises(ProtocolViolation, match=r"Page\.lifecycleEvents is no event"):
        protocol.check_event("Page.lifecycleEvents")


def test_violations_are_kept_even_when_the_exception_is_swallowed(protocol_watch: Watch) -> None:
    with pytest.raises(ProtocolViolation):
        protocol_watch.command("No.such", {})
    assert protocol_watch.violations == ["No.such is no command of this browser"]
    protocol_watch.violations.clear()
    with protocol_watch.unchecked():
        protocol_watch.command("No.such", {})
    assert not protocol_watch.violations
