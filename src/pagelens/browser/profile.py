"""The profile directory that Chrome is started on: whose it is, whether it is free, and its end."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from pagelens.browser.find import FoundBrowser
from pagelens.core.options import Options
from pagelens.errors import InvalidInput, LaunchFailed, ProfileInUse

__all__ = [
    "Lock",
    "Profile",
    "check_free",
    "prepare_profile",
    "process_start",
    "profile_directory",
    "read_lock",
    "sweep",
    "wait_until_free",
]

log = logging.getLogger(__name__)

_PREFIX = "pagelens-profile-"
_OWNER = "pagelens-owner.json"
# A throwaway profile that never got its owner file: nobody needs that long to write one.
_UNOWNED_AGE = 24 * 3600.0
# A browser that has just been told to end may hold its lock a moment longer.
_GRACE = 3.0


@dataclass(slots=True)
class Profile:
    """A profile directory, ready to start a browser on.

    Attributes:
        path: the directory; it exists.
        throwaway: whether it goes when the browser has ended.
    """

    path: Path
    throwaway: bool

    async def remove(self) -> None:
        """Delete a throwaway profile; others stay. Never raises: what can't be deleted is logged."""
        if self.throwaway:
            await asyncio.to_thread(_remove, self.path)


@dataclass(frozen=True, slots=True)
class Lock:
    """What Chrome's ``SingletonLock`` says: the machine and process that have the profile open."""

    host: str
    pid: int


async def prepare_profile(options: Options, browser: FoundBrowser) -> Profile:
    """The profile for `options`: a throwaway one, the named one, or our own for this kind of browser.

    Raises:
        ProfileInUse: a browser has it open, here or on another machine.
        LaunchFailed: the directory can't be made or written.
        InvalidInput: both a throwaway and a named one were asked for.
    """
    if options.isolated and options.user_data_dir is not None:
        raise InvalidInput("--isolated and --user-data-dir contradict each other.", "Leave one out.")
    base = _confined_base(browser) or Path(tempfile.gettempdir())
    await asyncio.to_thread(sweep, base)
    if options.isolated:
        return Profile(_new_throwaway(base), throwaway=True)
    path = profile_directory(options, browser)
    _make(path)
    await wait_until_free(path)
    return Profile(path, throwaway=False)


def profile_directory(options: Options, browser: FoundBrowser) -> Path:
    """The lasting profile of `options`, whether or not it exists yet."""
    if options.user_data_dir is not None:
        return Path(options.user_data_dir).expanduser().absolute()
    return (_confined_base(browser) or platformdirs.user_cache_path("pagelens")) / f"profile-{browser.kind}"


async def wait_until_free(path: Path, grace: float = _GRACE) -> None:
    """Return once no browser has the profile open; one that is just ending gets `grace` seconds for it.

    Raises:
        ProfileInUse: as `check_free`.
    """
    end = time.monotonic() + grace
    while True:
        try:
            return check_free(path)
        except ProfileInUse:
            lock = read_lock(path)
            # Another machine's lock does not end while we look.
            if (lock is not None and lock.host != socket.gethostname()) or time.monotonic() >= end:
                raise
        await asyncio.sleep(0.05)


def check_free(path: Path) -> None:
    """Return when a browser can be started on this profile. A lock whose owner is dead is none: Chrome replaces it.

    Raises:
        ProfileInUse: with who has it, and the ways out.
    """
    lock = read_lock(path)
    if lock is None:
        return
    if lock.host != socket.gethostname():
        links = " ".join(str(path / name) for name in ("SingletonLock", "SingletonSocket", "SingletonCookie"))
        raise ProfileInUse(
            f"The profile {path} is locked by process {lock.pid} on another machine, {lock.host!r} (this one is "
            f"{socket.gethostname()!r}). It may be in use there, or that machine (a container?) is gone.",
            f"If no browser there uses it any more: rm {links}\nElse start with --isolated, or with another "
            "--user-data-dir.",
        )
    if _is_browser_on(lock.pid, path):
        raise ProfileInUse(
            f"The profile {path} is in use by a running browser (process {lock.pid}).",
            "Start with --isolated for a profile of its own, give another --user-data-dir, or end that browser.",
        )


def read_lock(path: Path) -> Lock | None:
    """The profile's lock, None when there is none (or nothing that Chrome wrote)."""
    try:
        host, _, pid = os.readlink(path / "SingletonLock").rpartition("-")
        return Lock(host, int(pid))
    except (OSError, ValueError):
        return None


def sweep(base: Path | None = None) -> list[Path]:
    """Delete the throwaway profiles under `base` whose owner has died without doing so; returns what was deleted.

    Only those of this user and this machine; a temporary directory may be shared with others.
    """
    base = base or Path(tempfile.gettempdir())
    swept = []
    for path in base.glob(_PREFIX + "*"):
        try:
            if path.is_dir() and not path.is_symlink() and path.stat().st_uid == os.geteuid() and _abandoned(path):
                _remove(path)
                swept.append(path)
        except OSError as error:  # somebody else sweeps too
            log.debug("%s could not be swept: %s", path, error)
    return swept


def process_start(pid: int) -> str | None:
    """When a process started, as text that only serves to be compared; None when there is no such process.

    A process id is used again; together with its start it names one process for ever.
    """
    if sys.platform == "linux":
        try:
            fields = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        except OSError:
            return None
        return None if fields[0] in ("Z", "X") else fields[19]  # proc(5): state, and starttime in ticks since boot
    result = subprocess.run(["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return result.stdout.strip() or None


def _confined_base(browser: FoundBrowser) -> Path | None:
    """Where a browser from a snap or flatpak may write, and we too; None for the others."""
    if browser.confined == "snap":
        return Path.home() / "snap" / browser.app / "common" / "pagelens"
    if browser.confined == "flatpak":
        return Path.home() / ".var" / "app" / browser.app / "cache" / "pagelens"
    return None


def _make(path: Path) -> None:
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        writable = os.access(path, os.W_OK | os.X_OK)
    except OSError as error:
        raise LaunchFailed(
            f"The profile directory {path} can't be made: {error.strerror or error}.",
            "Give another one with --user-data-dir, or start with --isolated.",
        ) from error
    if not writable:
        raise LaunchFailed(
            f"The profile directory {path} can't be written by this user.",
            "Give another one with --user-data-dir, or start with --isolated.",
        )


def _new_throwaway(base: Path) -> Path:
    try:
        base.mkdir(mode=0o700, parents=True, exist_ok=True)
        # The process id is in the name as well: it is known even if we die before the next line.
        path = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=base))
        owner = {"pid": os.getpid(), "started": process_start(os.getpid()), "host": socket.gethostname()}
        (path / _OWNER).write_text(json.dumps(owner), "utf-8")
    except OSError as error:
        raise LaunchFailed(
            f"A temporary profile can't be made in {base}: {error.strerror or error}.",
            "Make room there, or let TMPDIR name another directory.",
        ) from error
    return path


def _abandoned(path: Path) -> bool:
    try:
        owner = json.loads((path / _OWNER).read_text("utf-8"))
        pid, started, host = int(owner["pid"]), owner["started"], owner["host"]
    except (OSError, ValueError, KeyError, TypeError):
        return time.time() - path.stat().st_mtime > _UNOWNED_AGE
    if host != socket.gethostname() or process_start(pid) == started:
        return False
    # Its Chrome ends with the owner, but is perhaps still at it.
    lock = read_lock(path)
    return lock is None or lock.host != socket.gethostname() or not _is_browser_on(lock.pid, path)


def _is_browser_on(pid: int, profile: Path) -> bool:
    """Whether this process lives and is a browser. Process ids are used again, so its command line is looked at."""
    if process_start(pid) is None:
        return False
    if sys.platform != "linux":
        return True
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return process_start(pid) is not None  # another user's
    if os.fsencode(profile) in command:
        return True
    program = command.split(b"\0", 1)[0].rsplit(b"/", 1)[-1]
    return any(word in program for word in (b"chrom", b"edge", b"brave"))


def _remove(path: Path) -> None:
    # Chrome's last helpers may still write while they end.
    for pause in (0.05, 0.1, 0.2, 0.4, 0.8):
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(path, ignore_errors=True)
        if not path.exists():
            return
        time.sleep(pause)
    log.warning("The temporary profile %s could not be deleted.", path)
