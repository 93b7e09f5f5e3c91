"""Why Chrome did not start, read from what it wrote before it ended."""

from __future__ import annotations

import re
import signal
from pathlib import Path

from pagelens.browser.find import FoundBrowser
from pagelens.browser.profile import check_free
from pagelens.core.safe_text import safe_block
from pagelens.errors import LaunchFailed, NoUsableSandbox, ProfileInUse

__all__ = ["explain_failure"]

_SANDBOX = re.compile(
    r"No usable sandbox|Running as root without --no-sandbox|SUID sandbox helper binary|Failed to move to new namespace"
    r"|zygote_host_impl_linux.*[Ss]andbox"
)
_SANDBOX_HINT = """\
Allow unprivileged user namespaces, which keeps the sandbox (recommended):
  sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0    (Ubuntu 23.10 and later)
  sudo sysctl -w kernel.unprivileged_userns_clone=1                (where this setting exists)
or install Chromium's own helper for it: sudo apt-get install chromium-sandbox    (Debian)
or start without it, for pages that you trust: --chrome-arg=--no-sandbox"""
_LIBRARY = re.compile(r"error while loading shared libraries: ([^:\s]+)")
_IN_USE = re.compile(
    r"Opening in existing browser session|profile appears to be in use|Failed to create .*ProcessSingleton"
)
_ELSEWHERE = re.compile(r"in use by another \S+ process \(\d+\) on another computer \(([^)]*)\)")
# What to do about a few more ways to fail: (what Chrome writes, hint).
_KNOWN = (
    (
        re.compile(r"Missing X server|cannot open display|Unable to open X display|Failed to connect to Wayland", re.I),
        "There is no display to open a window on. Start with --headless, or under a virtual display: xvfb-run.",
    ),
    (
        re.compile(r"DevTools remote debugging requires a non-default data directory"),
        "Chrome does not let itself be driven on its default profile directory. Give another --user-data-dir.",
    ),
    (
        re.compile(r"DevTools remote debugging is disallowed by the system admin", re.I),
        "A policy on this machine (RemoteDebuggingAllowed) forbids it. Name another browser with --executable-path.",
    ),
    (
        re.compile(r"No space left on device"),
        "Make room on the disk of the profile, or give another one with --user-data-dir.",
    ),
    (
        re.compile(r"Exec format error|cannot execute binary file"),
        "It was built for another kind of machine. Name another browser with --executable-path.",
    ),
    (
        re.compile(r"requires the chromium snap to be installed"),
        "It only stands for the Chromium snap. Run `pagelens install-browser` to see what to do.",
    ),
)
_LINES = 15


def explain_failure(
    browser: FoundBrowser,
    profile: Path,
    output: str,
    *,
    exit_code: int | None = None,
    answered_in: float | None = None,
) -> LaunchFailed:
    """The error for a Chrome that did not come up.

    Args:
        output: the end of what it wrote.
        exit_code: how it ended, negative for a signal; None when it still runs.
        answered_in: seconds waited for an answer that did not come; None when it did not come to that.
    """
    quoted = _quoted(output)
    if _SANDBOX.search(output):
        return NoUsableSandbox(
            f"{browser.path} ended at its start: this system lets it make no sandbox.{quoted}\n", _SANDBOX_HINT
        )
    try:
        check_free(profile)
    except ProfileInUse as error:
        return error
    if _IN_USE.search(output):
        elsewhere = _ELSEWHERE.search(output)
        where = f" on another machine ({safe_block(elsewhere[1])})" if elsewhere else ""
        return ProfileInUse(
            f"The profile {profile} is in use by another browser{where}.{quoted}\n",
            "Start with --isolated for a profile of its own, or give another --user-data-dir.",
        )
    if library := _LIBRARY.search(output):
        return LaunchFailed(
            f"{browser.path} can't start: the shared library {library[1]} is missing on this system.{quoted}\n",
            f"Install the browser with its dependencies (`pagelens install-browser`); `ldd {browser.path} | grep "
            "'not found'` lists all that are missing.",
        )
    hint = next(
        (hint for pattern, hint in _KNOWN if pattern.search(output)),
        "Run `pagelens doctor` to see what works, or name another browser with --executable-path.",
    )
    return LaunchFailed(f"{browser.path} ({browser.how}) {_ending(exit_code, answered_in)}{quoted}\n", hint)


def _ending(exit_code: int | None, answered_in: float | None) -> str:
    if answered_in is not None:
        return f"was started but did not answer within {answered_in:g} s. It has been ended. Is it a Chrome at all?"
    if exit_code is None:
        return "was started but closed its debugging pipe. It has been ended. Is it a Chrome at all?"
    if exit_code < 0:
        return f"was killed at its start by {_signal_name(-exit_code)}."
    return f"ended at its start with exit code {exit_code}."


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _quoted(output: str) -> str:
    lines = [line for line in safe_block(output).splitlines() if line.strip()][-_LINES:]
    if not lines:
        return " It wrote nothing."
    return " Its last words:" + "".join("\n  | " + line[:500] for line in lines)
