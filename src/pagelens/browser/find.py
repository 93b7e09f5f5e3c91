"""Find the browser to start: what the user named, else what is on PATH, else where browsers are usually installed."""

from __future__ import annotations

import logging
import os
import platform
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Literal

from pagelens.core.options import CHANNELS, Options
from pagelens.errors import BrowserNotFound, InvalidInput

__all__ = ["FOREIGN_VARIABLES", "VARIABLE", "FoundBrowser", "System", "find_browser", "is_snap_stub"]

log = logging.getLogger(__name__)

#: Names the browser to start, as ``--executable-path`` does.
VARIABLE = "PAGELENS_EXECUTABLE_PATH"
#: The same from other tools. They may be meant for those, so a wrong one is passed over, not an error.
FOREIGN_VARIABLES = ("CHROME_PATH", "PUPPETEER_EXECUTABLE_PATH")

Confinement = Literal["", "snap", "flatpak"]

# Command names by kind, in the order of preference.
_NAMES: dict[str, tuple[str, ...]] = {
    "stable": ("google-chrome-stable", "google-chrome", "chrome"),
    "chromium": ("chromium", "chromium-browser"),
    "edge": ("microsoft-edge-stable", "microsoft-edge"),
    "brave": ("brave-browser-stable", "brave-browser", "brave"),
    "beta": ("google-chrome-beta",),
    "dev": ("google-chrome-unstable",),
    "canary": ("google-chrome-canary",),
}

_LINUX_PLACES: dict[str, tuple[str, ...]] = {
    "stable": ("/opt/google/chrome/chrome", "/usr/bin/google-chrome-stable", "/usr/bin/google-chrome"),
    "chromium": (
        "/usr/bin/chromium",
        "/usr/bin/chromium-browser",
        "/usr/lib/chromium/chromium",
        "/usr/lib/chromium-browser/chromium-browser",
    ),
    "edge": ("/opt/microsoft/msedge/msedge",),
    "brave": ("/opt/brave.com/brave/brave",),
    "beta": ("/opt/google/chrome-beta/chrome",),
    "dev": ("/opt/google/chrome-unstable/chrome",),
    "canary": ("/opt/google/chrome-canary/chrome",),
}
_SNAPS: dict[str, tuple[str, ...]] = {"chromium": ("chromium",), "brave": ("brave",)}
_FLATPAKS: dict[str, tuple[str, ...]] = {
    "stable": ("com.google.Chrome",),
    "chromium": ("org.chromium.Chromium", "io.github.ungoogled_software.ungoogled_chromium"),
    "edge": ("com.microsoft.Edge",),
    "brave": ("com.brave.Browser",),
    "dev": ("com.google.ChromeDev",),
}
_MAC_APPS: dict[str, str] = {
    "stable": "Google Chrome",
    "chromium": "Chromium",
    "edge": "Microsoft Edge",
    "brave": "Brave Browser",
    "beta": "Google Chrome Beta",
    "dev": "Google Chrome Dev",
    "canary": "Google Chrome Canary",
}
_WINDOWS_PLACES: dict[str, str] = {
    "stable": "Google/Chrome/Application/chrome.exe",
    "chromium": "Chromium/Application/chrome.exe",
    "edge": "Microsoft/Edge/Application/msedge.exe",
    "brave": "BraveSoftware/Brave-Browser/Application/brave.exe",
    "beta": "Google/Chrome Beta/Application/chrome.exe",
    "dev": "Google/Chrome Dev/Application/chrome.exe",
    "canary": "Google/Chrome SxS/Application/chrome.exe",
}


@dataclass(frozen=True, slots=True)
class System:
    """The machine to search: the real one, or a small one that a test has made.

    Attributes:
        environ: environment variables.
        platform: as ``sys.platform``.
        root: what absolute known places start from; ``/`` outside tests.
    """

    environ: Mapping[str, str]
    platform: str = sys.platform
    root: Path = Path("/")

    @classmethod
    def this(cls) -> System:
        """The machine we run on, as it is now."""
        return cls(environ=dict(os.environ))

    @property
    def home(self) -> Path:
        """The user's home directory."""
        named = self.environ.get("USERPROFILE" if self.platform == "win32" else "HOME")
        return Path(named) if named else Path.home()

    def place(self, absolute: str) -> Path:
        """An absolute place on this machine."""
        return self.root / absolute.lstrip("/")


@dataclass(frozen=True, slots=True)
class FoundBrowser:
    """A browser that can be started.

    Attributes:
        path: its executable (or a script that starts it).
        kind: ``stable``, ``beta``, ``dev``, ``canary`` (Chrome), ``chromium``, ``edge``, ``brave``, or ``custom``. Each
            kind has a profile of its own: a profile that a newer browser has written is refused by an older one.
        how: why this one, in words.
        confined: ``snap`` or ``flatpak`` when it can only write in a directory of its own.
        app: the name of the snap or flatpak.
    """

    path: Path
    kind: str
    how: str
    confined: Confinement = ""
    app: str = ""


def find_browser(options: Options, system: System | None = None) -> FoundBrowser:
    """The browser that `options` ask for.

    In order: `Options.executable_path`; `Options.channel`; the variables; names on PATH; known places.

    Raises:
        BrowserNotFound: with everything that was tried and what to do.
        InvalidInput: `Options.channel` is no channel.
    """
    system = system or System.this()
    if options.executable_path is not None:
        path = _usable(Path(options.executable_path).expanduser(), "--executable-path", system)
        return _described(path, "--executable-path", system)
    if options.channel is not None:
        return _search(system, (_channel(options.channel),), options.channel)
    if named := system.environ.get(VARIABLE):
        return _described(_usable(Path(named).expanduser(), VARIABLE, system), VARIABLE, system)
    tried: list[str] = []
    for variable in FOREIGN_VARIABLES:
        if named := system.environ.get(variable):
            try:
                return _described(_usable(Path(named).expanduser(), variable, system), variable, system)
            except BrowserNotFound as error:
                log.warning("%s is passed over: %s", variable, error.message)
                tried.append(f"{variable}={named}")
    return _search(system, tuple(_NAMES), None, tried)


def is_snap_stub(path: Path, system: System | None = None) -> bool:
    """Whether `path` is the script that Ubuntu's apt installs in place of Chromium, with no snap behind it.

    The script starts ``/snap/bin/chromium``, or says that the snap must be installed first.
    """
    system = system or System.this()
    try:
        with path.open("rb") as file:
            head = file.read(4096)
    except OSError:
        return False
    return head.startswith(b"#!") and b"/snap/bin/chromium" in head and not system.place("/snap/bin/chromium").exists()


def _channel(channel: str) -> str:
    if channel not in CHANNELS:
        raise InvalidInput(f"There is no channel {channel!r}.", "The channels are " + ", ".join(CHANNELS) + ".")
    return channel


def _search(
    system: System, kinds: tuple[str, ...], channel: str | None, tried: list[str] | None = None
) -> FoundBrowser:
    tried = tried if tried is not None else []
    stubs: list[Path] = []
    for kind, path, how in (*_on_path(system, kinds, tried), *_known_places(system, kinds)):
        if how:
            tried.append(str(path))
        if not _executable(path):
            continue
        if is_snap_stub(path, system):
            stubs.append(path)
            continue
        return _described(path, how or "on PATH", system, kind)
    raise _not_found(system, channel, tried, stubs)


def _on_path(system: System, kinds: tuple[str, ...], tried: list[str]) -> Iterator[tuple[str, Path, str]]:
    names = [(kind, name) for kind in kinds for name in _NAMES[kind]]
    tried.append("on PATH: " + ", ".join(name for _, name in names))
    for kind, name in names:
        found = shutil.which(name, path=system.environ.get("PATH", ""))
        if found:
            yield kind, Path(found), ""


def _known_places(system: System, kinds: tuple[str, ...]) -> Iterator[tuple[str, Path, str]]:
    # A browser that may write anywhere before one that may not.
    for places in (_places, _confined_places):
        for kind in kinds:
            for path in places(system, kind):
                yield kind, path, "a known place"


def _places(system: System, kind: str) -> Iterator[Path]:
    if system.platform == "darwin":
        app = _MAC_APPS[kind]
        for applications in (system.place("/Applications"), system.home / "Applications"):
            yield applications / f"{app}.app/Contents/MacOS/{app}"
    elif system.platform == "win32":
        for variable in ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"):
            if base := system.environ.get(variable):
                yield Path(base) / _WINDOWS_PLACES[kind]
    else:
        for place in _LINUX_PLACES[kind]:
            yield system.place(place)


def _confined_places(system: System, kind: str) -> Iterator[Path]:
    if system.platform not in ("darwin", "win32"):
        for snap in _SNAPS.get(kind, ()):
            yield system.place(f"/snap/bin/{snap}")
        for app in _FLATPAKS.get(kind, ()):
            yield system.place(f"/var/lib/flatpak/exports/bin/{app}")
            yield system.home / f".local/share/flatpak/exports/bin/{app}"


def _executable(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def _usable(path: Path, named_by: str, system: System) -> Path:
    if is_snap_stub(path, system):
        raise BrowserNotFound(f"{path} ({named_by}) is {_STUB}.", _snap_remedy())
    if _executable(path):
        return path.absolute()
    if path.is_dir():
        why = "is a directory"
        if path.suffix == ".app":
            why += f"; its executable is {path}/Contents/MacOS/{path.stem}"
    elif path.exists():
        why = "can't be executed (is it marked executable?)"
    else:
        why = "does not exist"
    raise BrowserNotFound(f"The browser given by {named_by} can't be used: {path} {why}.", f"Correct {named_by}.")


def _described(path: Path, how: str, system: System, kind: str = "") -> FoundBrowser:
    confined: Confinement = ""
    app = ""
    # Ubuntu's script with a snap behind it starts the snap, which can write only where snaps may.
    if "/snap/bin/" in path.as_posix() or _starts_snap(path):
        confined, app = "snap", path.name if "/snap/bin/" in path.as_posix() else "chromium"
    elif "/flatpak/exports/bin/" in path.as_posix():
        confined, app = "flatpak", path.name
    return FoundBrowser(path, kind or _kind(path), how, confined, app)


def _starts_snap(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            head = file.read(4096)
    except OSError:
        return False
    return head.startswith(b"#!") and b"/snap/bin/chromium" in head


def _kind(path: PurePath) -> str:
    """The kind of a browser that was named by its path, judged by its names."""
    for kind, names in _NAMES.items():
        if path.name in names:
            return kind
    text = path.as_posix().lower()
    chrome = (
        "canary"
        if "canary" in text or "sxs" in text
        else "beta"
        if "beta" in text
        else "dev"
        if "unstable" in text or "chrome dev" in text
        else "stable"
    )
    for word, kind in (("chromium", "chromium"), ("edge", "edge"), ("brave", "brave"), ("chrome", chrome)):
        if word in text:
            return kind
    return "custom"


_STUB = "Ubuntu's placeholder for the Chromium snap, which is not installed"


def _snap_remedy() -> str:
    from pagelens.browser.install import ubuntu_commands

    return "Run one of these:\n" + "\n".join("  " + command for command in ubuntu_commands())


def _not_found(system: System, channel: str | None, tried: list[str], stubs: list[Path]) -> BrowserNotFound:
    what = f"No Chrome of the {channel} channel" if channel else "No Chrome, Chromium, Edge or Brave"
    message = f"{what} was found. Tried:\n" + "\n".join("  " + place for place in tried) + "\n"
    if stubs:
        return BrowserNotFound(message + f"{stubs[0]} is {_STUB}.", _snap_remedy())
    hint = (
        "Leave --channel out to take any browser, install that Chrome, "
        if channel
        else "Run `pagelens install-browser`, "
    )
    hint += f"or name your browser with --executable-path or {VARIABLE}."
    if system.platform == "linux" and "microsoft" in platform.release().lower():
        hint += " This is WSL: a browser inside Linux is needed, Windows' own can't be driven from here."
    return BrowserNotFound(message, hint)
