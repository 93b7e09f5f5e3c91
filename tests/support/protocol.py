"""Holds what we send to Chrome, and the events we subscribe to, against the protocol that this Chrome serves.

A misspelt command or parameter fails loudly in Chrome; a misspelt event, or an optional parameter of the wrong
type, may just do nothing. So in tests every outgoing command and every subscription is checked here.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pagelens.core.options import Options

__all__ = ["Protocol", "ProtocolViolation", "fetch_protocol"]


class ProtocolViolation(AssertionError):
    """Something we sent, or listen to, that the protocol does not have."""


class Protocol:
    """The commands and events of one browser.

    Args:
        description: what ``/json/protocol`` serves.
    """

    def __init__(self, description: dict[str, Any]) -> None:
        self._commands: dict[str, dict[str, Any]] = {}
        self._events: set[str] = set()
        self._types: dict[str, dict[str, Any]] = {}
        for domain in description["domains"]:
            name = domain["domain"]
            for command in domain.get("commands", ()):
                parameters = {item["name"]: item for item in command.get("parameters", ())}
                self._commands[f"{name}.{command['name']}"] = parameters
            self._events.update(f"{name}.{event['name']}" for event in domain.get("events", ()))
            self._types.update({f"{name}.{kind['id']}": kind for kind in domain.get("types", ())})

    def check_command(self, method: str, params: dict[str, Any]) -> None:
        """Raises `ProtocolViolation` for an unknown command, or parameters it does not take."""
        known = self._commands.get(method)
        if known is None:
            raise ProtocolViolation(f"{method} is no command of this browser")
        self._object(method, known, params, method.partition(".")[0])

    def check_event(self, method: str) -> None:
        """Raises `ProtocolViolation` for an event that never comes."""
        if method not in self._events:
            raise ProtocolViolation(f"{method} is no event of this browser")

    def _object(self, where: str, known: dict[str, dict[str, Any]], value: dict[str, Any], domain: str) -> None:
        if unknown := sorted(set(value) - set(known)):
            raise ProtocolViolation(f"{where} does not take {', '.join(unknown)}; it takes {', '.join(sorted(known))}")
        missing = sorted(name for name, item in known.items() if not item.get("optional") and name not in value)
        if missing:
            raise ProtocolViolation(f"{where} lacks {', '.join(missing)}")
        for name, item in value.items():
            self._value(f"{where}({name})", known[name], item, domain)

    def _value(self, where: str, kind: dict[str, Any], value: Any, domain: str) -> None:
        if reference := kind.get("$ref"):
            full = reference if "." in reference else f"{domain}.{reference}"
            self._value(where, self._types[full], value, full.partition(".")[0])
            return
        expected = kind.get("type", "any")
        fits = {
            "string": isinstance(value, str),
            "binary": isinstance(value, str),
            "integer": isinstance(value, int) and not isinstance(value, bool),
            "number": isinstance(value, int | float) and not isinstance(value, bool),
            "boolean": isinstance(value, bool),
            "array": isinstance(value, list | tuple),
            "object": isinstance(value, dict),
            "any": True,
        }[expected]
        if not fits:
            raise ProtocolViolation(f"{where} must be {expected}, not {value!r:.80}")
        if "enum" in kind and value not in kind["enum"]:
            raise ProtocolViolation(f"{where} must be one of {', '.join(kind['enum'])}, not {value!r:.80}")
        if expected == "array" and "items" in kind:
            for number, item in enumerate(value):
                self._value(f"{where}[{number}]", kind["items"], item, domain)
        if expected == "object" and kind.get("properties"):
            self._object(where, {item["name"]: item for item in kind["properties"]}, value, domain)


class Watch:
    """Collects violations; the product may swallow the exception, the test still fails."""

    def __init__(self, cache: Path) -> None:
        self._cache = cache
        self._protocol: Protocol | None = None
        self._off = 0
        self.violations: list[str] = []

    @property
    def protocol(self) -> Protocol:
        if self._protocol is None:
            self._protocol = Protocol(fetch_protocol(self._cache))
        return self._protocol

    def command(self, method: str, params: dict[str, Any]) -> None:
        if not self._off:
            self._noted(lambda: self.protocol.check_command(method, params))

    def event(self, method: str) -> None:
        if not self._off:
            self._noted(lambda: self.protocol.check_event(method))

    def _noted(self, check: Any) -> None:
        try:
            check()
        except ProtocolViolation as violation:
            self.violations.append(str(violation))
            raise

    @contextmanager
    def unchecked(self) -> Iterator[None]:
        """For tests of the wire itself, which send what no browser knows."""
        self._off += 1
        try:
            yield
        finally:
            self._off -= 1


def fetch_protocol(cache: Path) -> dict[str, Any]:
    """The description served by the browser that the tests use, kept in `cache` for as long as its binary stays.

    The product opens no port, so this starts the same browser once more with one, on a profile of its own.
    """
    executable = _executable()
    version = subprocess.run([executable, "--version"], capture_output=True, text=True, timeout=20).stdout.strip()
    name = hashlib.sha256(f"{executable} {version}".encode()).hexdigest()[:16]
    file = cache / f"{name}.json"
    if not file.exists():
        text = _served_by(executable)
        temporary = cache / f"{name}.{os.getpid()}"
        temporary.write_bytes(text)
        temporary.replace(file)
    description: dict[str, Any] = json.loads(file.read_bytes())
    return description


def _executable() -> str:
    from pagelens.browser.find import find_browser

    return str(find_browser(Options()).path)


def _served_by(executable: str) -> bytes:
    profile = Path(tempfile.mkdtemp(prefix="pagelens-protocol-"))
    arguments = [executable, "--headless", "--remote-debugging-port=0", f"--user-data-dir={profile}", "--no-first-run"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        arguments.append("--no-sandbox")
    process = subprocess.Popen(
        arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        port_file = profile / "DevToolsActivePort"
        deadline = time.monotonic() + 20
        while not (port_file.exists() and port_file.read_text().count("\n")):
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{executable} opened no debugging port")
            time.sleep(0.02)  # Chrome announces the port by this file and nothing else
        port = port_file.read_text().splitlines()[0]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/protocol", timeout=10) as reply:
            body: bytes = reply.read()
        return body
    finally:
        process.kill()
        process.wait()
        shutil.rmtree(profile, ignore_errors=True)
