"""The file in which a running Chrome writes the port that it listens on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pagelens.browser.find import System

__all__ = ["PORT_FILE", "PortFile", "default_profiles", "read_port_file"]

PORT_FILE = "DevToolsActivePort"

# Profile directories by kind, in the order of preference, below the system's directory for such things.
_LINUX = {
    "stable": ("google-chrome",),
    "chromium": ("chromium",),
    "edge": ("microsoft-edge",),
    "brave": ("BraveSoftware/Brave-Browser",),
    "beta": ("google-chrome-beta",),
    "dev": ("google-chrome-unstable",),
    "canary": ("google-chrome-canary",),
}
# The same below the home directory, for browsers that are kept from the usual place.
_LINUX_CONFINED = {
    "stable": (".var/app/com.google.Chrome/config/google-chrome",),
    "chromium": ("snap/chromium/common/chromium", ".var/app/org.chromium.Chromium/config/chromium"),
    "edge": (".var/app/com.microsoft.Edge/config/microsoft-edge",),
    "brave": (".var/app/com.brave.Browser/config/BraveSoftware/Brave-Browser",),
    "dev": (".var/app/com.google.ChromeDev/config/google-chrome-unstable",),
}
_MAC = {
    "stable": ("Google/Chrome",),
    "chromium": ("Chromium",),
    "edge": ("Microsoft Edge",),
    "brave": ("BraveSoftware/Brave-Browser",),
    "beta": ("Google/Chrome Beta",),
    "dev": ("Google/Chrome Dev",),
    "canary": ("Google/Chrome Canary",),
}
_WINDOWS = {
    "stable": ("Google/Chrome/User Data",),
    "chromium": ("Chromium/User Data",),
    "edge": ("Microsoft/Edge/User Data",),
    "brave": ("BraveSoftware/Brave-Browser/User Data",),
    "beta": ("Google/Chrome Beta/User Data",),
    "dev": ("Google/Chrome Dev/User Data",),
    "canary": ("Google/Chrome SxS/User Data",),
}


@dataclass(frozen=True, slots=True)
class PortFile:
    """What a port file says.

    Attributes:
        port: on this machine.
        path: of the browser's WebSocket, e.g. ``/devtools/browser/4f2a…``.
    """

    port: int
    path: str


def default_profiles(channel: str | None, system: System) -> Iterator[Path]:
    """The directories in which a browser keeps its usual profile.

    Args:
        channel: only that of this release channel of Chrome; None: of all browsers known, likeliest first.
    """
    if system.platform == "darwin":
        base, table = system.home / "Library" / "Application Support", _MAC
    elif system.platform == "win32":
        local = system.environ.get("LOCALAPPDATA")
        base, table = Path(local) if local else system.home / "AppData" / "Local", _WINDOWS
    else:
        named = system.environ.get("CHROME_CONFIG_HOME") or system.environ.get("XDG_CONFIG_HOME")
        base, table = Path(named) if named else system.home / ".config", _LINUX
    for kind in (channel,) if channel else tuple(table):
        yield from (base / name for name in table[kind])
        if table is _LINUX:
            yield from (system.home / name for name in _LINUX_CONFINED.get(kind, ()))


def read_port_file(profile: Path) -> PortFile:
    """The port file of a profile.

    Raises:
        OSError: there is none, or it can't be read.
        ValueError: it holds something else; says what.
    """
    with (profile / PORT_FILE).open("rb") as file:
        lines = file.read(4096).decode("utf-8", "replace").split("\n")
    port = lines[0].strip()
    path = lines[1].strip() if len(lines) > 1 else ""
    if not (port.isascii() and port.isdigit() and 0 < int(port) < 65536):
        raise ValueError("its first line is no port number")
    if not path.startswith("/devtools/browser"):
        raise ValueError("its second line is no address of a browser")
    return PortFile(int(port), path)
