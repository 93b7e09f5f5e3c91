"""The command line that Chrome is started with."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pagelens.core.options import Options
from pagelens.errors import InvalidInput

__all__ = ["HEADLESS_VIEWPORT", "Arguments", "build_arguments", "check_chrome_args", "has_display", "merge_lists"]

#: Width and height in CSS pixels of a headless page when no viewport was asked for. Chrome's own 780x493 gets many
#: sites' layout for phones.
HEADLESS_VIEWPORT = (1280, 720)

# What the tab strip and the address bar take from a headless window's height (Chromium 156). Only the first guess:
# the size of each page is set exactly over CDP.
_BROWSER_UI_HEIGHT = 87

# Our own switches. Each can be left out with --ignore-default-chrome-arg.
_QUIET = (
    # Nothing asks, offers, or covers the page.
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-search-engine-choice-screen",
    "--disable-prompt-on-repost",
    "--hide-crash-restore-bubble",
    "--disable-hang-monitor",
    # Nothing goes out that no page asked for.
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-sync",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--disable-client-side-phishing-detection",
    "--disable-field-trial-config",
    "--metrics-recording-only",
    "--no-pings",
    # Signed-in accounts and components on demand are asked for whatever the switches above say: nobody listens there.
    "--gaia-url=http://127.0.0.1:1/",
    "--component-updater=url-source=http://127.0.0.1:1/",
    # The system's key ring would open a dialog on first use.
    "--password-store=basic",
    "--use-mock-keychain",
    # A page that is not in front runs as one that is.
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-background-timer-throttling",
    # Scripts may open windows (they are counted and reported), and commands may come as fast as they like.
    "--disable-popup-blocking",
    "--disable-ipc-flooding-protection",
    "--disable-component-extensions-with-background-pages",
    "--force-color-profile=srgb",
)
_HEADLESS = ("--headless", "--mute-audio", "--hide-scrollbars")
_DISABLED_FEATURES = (
    "Translate",
    "MediaRouter",
    "DialMediaRouteProvider",
    "OptimizationHints",
    # Asks a time server.
    "NetworkTimeServiceQuerying",
    # Each would add a target of type browser_ui that belongs to no page.
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
)
# Chrome obeys only the last of several; so all are merged into one of each.
_LISTS = ("--enable-features", "--disable-features", "--enable-blink-features", "--disable-blink-features")
# Ours alone: with another value we would look for the browser where it is not.
_RESERVED = {
    "--user-data-dir": "--user-data-dir (without --chrome-arg)",
    "--remote-debugging-pipe": "nothing: pagelens always uses the pipe",
    "--remote-debugging-io-pipes": "nothing: pagelens always uses the pipe",
}
_SMALL_SHARED_MEMORY = 1 << 29


@dataclass(frozen=True, slots=True)
class Arguments:
    """The command line, and what was decided on the user's behalf.

    Attributes:
        switches: everything after the executable, in order.
        headless: whether there will be no window.
        notes: decisions that the user did not make, one sentence each.
    """

    switches: tuple[str, ...]
    headless: bool
    notes: tuple[str, ...]


def build_arguments(
    options: Options,
    profile: Path,
    *,
    environ: Mapping[str, str] | None = None,
    platform: str = sys.platform,
    root: bool | None = None,
) -> Arguments:
    """The switches for `options` and a profile directory.

    Args:
        environ: environment variables, to see whether there is a display.
        platform: as ``sys.platform``.
        root: whether we run as root; None asks the system.

    Raises:
        InvalidInput: a switch among the user's would break the connection.
    """
    check_chrome_args(options)
    if root is None:
        root = hasattr(os, "geteuid") and os.geteuid() == 0
    notes: list[str] = []
    asked = {_name(argument) for argument in options.chrome_args}
    headless = options.headless or (options.headless is None and "--headless" in asked)
    if options.headless is None and not headless:
        headless = not has_display(os.environ if environ is None else environ, platform)
        if headless:
            notes.append("Chrome runs headless: there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set).")
    defaults = [*_QUIET, *(_HEADLESS if headless else ())]
    if platform == "linux":
        if root and "--no-sandbox" not in asked:
            defaults.append("--no-sandbox")
            if "--no-sandbox" not in options.ignore_default_chrome_args:
                notes.append("Chrome runs without its sandbox: it has none for root. Run as another user to have it.")
        if _shared_memory_is_small():
            defaults.append("--disable-dev-shm-usage")
    defaults += _size(options, headless)
    defaults.append("--disable-features=" + ",".join(_DISABLED_FEATURES))
    if options.webmcp:
        defaults.append("--enable-features=WebMCP")
    ignored = {_name(argument) for argument in options.ignore_default_chrome_args}
    kept = [
        argument
        for argument in defaults
        if _name(argument) not in ignored and _name(argument) not in asked - set(_LISTS)
    ]
    if options.proxy_server:
        kept.append(f"--proxy-server={options.proxy_server}")
    if options.accept_insecure_certs:
        kept.append("--ignore-certificate-errors")
    merged = merge_lists(kept, options.chrome_args)
    # A page to begin with that loads nothing; a URL among the user's arguments takes its place.
    pages = [argument for argument in merged if not argument.startswith("-")] or ["about:blank"]
    switches = [argument for argument in merged if argument.startswith("-")]
    return Arguments(
        ("--remote-debugging-pipe", f"--user-data-dir={profile}", *switches, *pages), headless, tuple(notes)
    )


def check_chrome_args(options: Options) -> None:
    """Refuse switches that would cut us off from the browser.

    Raises:
        InvalidInput: naming the switch and what to use in its place.
    """
    for argument in options.chrome_args:
        name = _name(argument)
        if name in _RESERVED:
            raise InvalidInput(f"{name} can't be given by --chrome-arg.", f"Use {_RESERVED[name]}.")
        if name == "--headless" and options.headless is False:
            raise InvalidInput("--no-headless and --chrome-arg=--headless contradict each other.", "Leave one out.")
        if name == "--proxy-server" and options.proxy_server:
            raise InvalidInput("--proxy-server and --chrome-arg=--proxy-server are the same thing.", "Leave one out.")
    for argument in options.ignore_default_chrome_args:
        if _name(argument) in _RESERVED:
            raise InvalidInput(f"{_name(argument)} can't be left out: without it there is no way to reach the browser.")


def has_display(environ: Mapping[str, str], platform: str = sys.platform) -> bool:
    """Whether a window could be shown. On macOS and Windows: yes."""
    return platform != "linux" or bool(environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY"))


def merge_lists(ours: Iterable[str], theirs: Iterable[str]) -> list[str]:
    """Put the user's arguments after ours, with one switch for each list of features.

    A feature that the user switches the other way is taken out of our list: the user wins.
    """
    rest: list[str] = []
    lists: dict[str, list[str]] = {name: [] for name in _LISTS}
    for group in (ours, theirs):
        given: dict[str, list[str]] = {name: [] for name in _LISTS}
        for argument in group:
            name, _, value = argument.partition("=")
            if name in given:
                given[name] += [feature for feature in value.split(",") if feature]
            else:
                rest.append(argument)
        for name, features in given.items():
            opposite = lists[_opposite(name)]
            turned = {_feature(feature) for feature in features}
            opposite[:] = [feature for feature in opposite if _feature(feature) not in turned]
            lists[name] += features
    merged = [f"{name}={','.join(dict.fromkeys(features))}" for name, features in lists.items() if features]
    return [*rest, *merged]


def _opposite(name: str) -> str:
    return name.replace("enable", "disable", 1) if name.startswith("--enable") else name.replace("disable", "enable", 1)


def _feature(text: str) -> str:
    """The bare name of ``Name<Trial:param/value``, how Chrome writes a feature with parameters."""
    return text.split("<", 1)[0].split(":", 1)[0].lstrip("*")


def _name(argument: str) -> str:
    name = argument.split("=", 1)[0]
    return name if name.startswith("-") else f"--{name}"


def _size(options: Options, headless: bool) -> list[str]:
    if options.viewport is None and not headless:
        return []
    width, height = options.viewport or HEADLESS_VIEWPORT
    size = [f"--window-size={width},{height + _BROWSER_UI_HEIGHT}"]
    if headless:
        # Pages are told of a screen that the window fits on.
        size.append(f"--screen-info={{{max(width, 1920)}x{max(height + _BROWSER_UI_HEIGHT, 1080)}}}")
    return size


def _shared_memory_is_small() -> bool:
    """Whether /dev/shm (64 MB in many containers) would make Chrome crash on larger pages."""
    try:
        status = os.statvfs("/dev/shm")
    except OSError:
        return True
    return status.f_bavail * status.f_frsize < _SMALL_SHARED_MEMORY
