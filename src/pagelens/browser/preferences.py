"""Settings that Chrome reads from its profile at start and that no switch or command offers."""

from __future__ import annotations

import json
import logging
import os
from pathlib import Path
from typing import Any

from pagelens.core.credentials import parse_credentials
from pagelens.core.options import Options
from pagelens.errors import LaunchFailed

__all__ = ["write_preferences"]

log = logging.getLogger(__name__)

#: Chrome's "No preloading": speculation rules, prerendering and preconnects are not obeyed. They know no session's
#: rules.
_NO_PRELOADING = 2


def write_preferences(profile: Path, options: Options, *, ours: bool, headless: bool) -> None:
    """Prepare a profile that no browser has open.

    Args:
        ours: a throwaway profile or one that we keep for ourselves; in others only what a user's rule needs is changed.
        headless: nobody could answer a login prompt. A request that meets one would wait for ever, so it gets its 401
            at once: Chrome is told to log in nowhere but where there are credentials for.

    Raises:
        LaunchFailed: the files can't be written, and so a rule could not be kept.
    """
    state = _read(profile / "Local State")
    if options.allowed_url_patterns or options.blocked_url_patterns:
        used = _directory(state, options)
        preferences = _read(profile / used / "Preferences")
        _part(preferences, "net")["network_prediction_options"] = _NO_PRELOADING
        _write(profile / used / "Preferences", preferences)
    if ours:
        auth = _part(state, "auth")
        before = dict(auth)
        auth.pop("schemes", None)
        auth.pop("http_auth_allowed_for_origins", None)
        if headless:
            auth["schemes"] = ""
            origins = [parse_credentials(text).origin for text in options.http_credentials]
            auth["http_auth_allowed_for_origins"] = origins
        if auth != before:
            _write(profile / "Local State", state)


def _directory(state: dict[str, Any], options: Options) -> str:
    """The user of Chrome whose windows open at start."""
    for argument in options.chrome_args:
        if argument.startswith("--profile-directory="):
            return argument.partition("=")[2]
    return str(_part(state, "profile").get("last_used") or "Default")


def _part(whole: dict[str, Any], name: str) -> dict[str, Any]:
    part = whole.get(name)
    if not isinstance(part, dict):
        part = whole[name] = {}
    return part


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        # Chrome replaces a file that it can't read.
        log.warning("%s can't be read and is written anew: %s", path, error)
        return {}
    return found if isinstance(found, dict) else {}


def _write(path: Path, content: dict[str, Any]) -> None:
    draft = path.with_name(f"{path.name}.pagelens")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text(json.dumps(content), "utf-8")
        os.replace(draft, path)
    except OSError as error:
        raise LaunchFailed(
            f"The profile's settings {path} can't be written: {error.strerror or error}.",
            "Give a writable --user-data-dir, or start with --isolated.",
        ) from error
