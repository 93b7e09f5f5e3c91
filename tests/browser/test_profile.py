"""Profiles: free or in use, and throwaway ones that are never left behind for good."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pagelens.browser import profile as profiles
from pagelens.browser.find import FoundBrowser
from pagelens.browser.profile import check_free, prepare_profile, process_start, read_lock, sweep, wait_until_free
from pagelens.core.options import Options
from pagelens.errors import InvalidInput, LaunchFailed, ProfileInUse

BROWSER = FoundBrowser(Path("/usr/bin/chromium"), "chromium", "on PATH")
HERE = socket.gethostname()


def lock(directory: Path, host: str, pid: int) -> None:
    (directory / "SingletonLock").symlink_to(f"{host}-{pid}")


def dead_pid() -> int:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return child.pid


@pytest.fixture
def sleeper(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that runs until it is ended, with the profile's path in its command line, as a browser's is."""
    child = subprocess.Popen(
        [sys.executable, "-c", "import sys; sys.stdin.read()", f"--user-data-dir={tmp_path}"], stdin=subprocess.PIPE
    )
    yield child
    child.kill()
    child.wait()


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A temporary directory of the test's own."""
    directory = tmp_path / "tmp"
    directory.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(directory))
    return directory


def test_no_lock_and_nonsense_are_free(tmp_path: Path) -> None:
    check_free(tmp_path)
    (tmp_path / "SingletonLock").symlink_to("nonsense")
    assert read_lock(tmp_path) is None
    check_free(tmp_path)


def test_a_dead_owner_on_this_machine_is_free(tmp_path: Path) -> None:
    lock(tmp_path, HERE, dead_pid())
    check_free(tmp_path)


def test_a_live_browser_holds_it_and_the_way_out_is_named(tmp_path: Path, sleeper: subprocess.Popen[bytes]) -> None:
    lock(tmp_path, HERE, sleeper.pid)
    with pytest.raises(ProfileInUse) as caught:
        check_free(tmp_path)
    assert str(sleeper.pid) in caught.value.message
    assert str(tmp_path) in caught.value.message
    assert "--isolated" in caught.value.hint


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_a_process_that_is_no_browser_got_the_dead_ones_number(tmp_path: Path) -> None:
    lock(tmp_path, HERE, os.getpid())
    check_free(tmp_path)


def test_another_machines_lock_names_it_and_how_to_clear_it(tmp_path: Path) -> None:
    lock(tmp_path, "old-container", 17)
    with pytest.raises(ProfileInUse) as caught:
        check_free(tmp_path)
    assert "'old-container'" in caught.value.message
    assert f"rm {tmp_path}/SingletonLock" in caught.value.hint
    assert "--isolated" in caught.value.hint


async def test_a_browser_that_is_just_ending_is_waited_for(tmp_path: Path, sleeper: subprocess.Popen[bytes]) -> None:
    lock(tmp_path, HERE, sleeper.pid)
    waiting = asyncio.ensure_future(wait_until_free(tmp_path, grace=30))
    await asyncio.sleep(0)
    assert not waiting.done()
    sleeper.kill()
    await asyncio.to_thread(sleeper.wait)
    await waiting


async def test_the_lasting_profile_is_one_for_each_kind_of_browser(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(profiles.platformdirs, "user_cache_path", lambda name: tmp_path / name)
    profile = await prepare_profile(Options(), BROWSER)
    assert profile.path == tmp_path / "pagelens" / "profile-chromium"
    assert profile.path.stat().st_mode & 0o077 == 0
    await profile.remove()
    assert profile.path.exists()
    other = await prepare_profile(Options(), FoundBrowser(Path("/x"), "beta", ""))
    assert other.path.name == "profile-beta"


async def test_a_confined_browser_gets_its_profile_where_it_may_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    snap = FoundBrowser(Path("/snap/bin/chromium"), "chromium", "", "snap", "chromium")
    assert (await prepare_profile(Options(), snap)).path.is_relative_to(tmp_path / "snap/chromium/common")
    throwaway = await prepare_profile(Options(isolated=True), snap)
    assert throwaway.path.is_relative_to(tmp_path / "snap/chromium/common")
    flatpak = FoundBrowser(Path("/x"), "stable", "", "flatpak", "com.google.Chrome")
    assert (await prepare_profile(Options(), flatpak)).path.is_relative_to(tmp_path / ".var/app/com.google.Chrome")


async def test_contradiction_and_directories_that_cannot_be_made(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"--isolated.*--user-data-dir"):
        await prepare_profile(Options(isolated=True, user_data_dir="x"), BROWSER)
    (tmp_path / "file").touch()
    with pytest.raises(LaunchFailed, match="can't be made"):
        await prepare_profile(Options(user_data_dir=str(tmp_path / "file" / "profile")), BROWSER)


async def test_a_throwaway_profile_names_its_owner_and_goes(temporary: Path) -> None:
    profile = await prepare_profile(Options(isolated=True), BROWSER)
    assert profile.path.parent == temporary
    owner = json.loads((profile.path / "pagelens-owner.json").read_text())
    assert owner == {"pid": os.getpid(), "started": process_start(os.getpid()), "host": HERE}
    (profile.path / "Default").mkdir()
    assert sweep() == [], "its owner lives"
    await profile.remove()
    assert not os.listdir(temporary)


def abandoned(base: Path, name: str, **owner: object) -> Path:
    path = base / f"pagelens-profile-{name}"
    path.mkdir()
    if owner:
        (path / "pagelens-owner.json").write_text(json.dumps(owner))
    return path


def test_the_sweep_takes_what_dead_owners_left_and_nothing_else(temporary: Path, tmp_path: Path) -> None:
    dead = abandoned(temporary, "dead", pid=dead_pid(), started="1", host=HERE)
    lock(dead, HERE, dead_pid())
    (dead / "Default").mkdir()
    reused = abandoned(temporary, "reused", pid=os.getpid(), started="another time", host=HERE)
    old = abandoned(temporary, "no-owner-for-days")
    os.utime(old, (time.time() - 90_000, time.time() - 90_000))
    abandoned(temporary, "alive", pid=os.getpid(), started=process_start(os.getpid()), host=HERE)
    abandoned(temporary, "elsewhere", pid=1, started="1", host="another-machine")
    abandoned(temporary, "no-owner-yet")
    (temporary / "pagelens-profile-link").symlink_to(tmp_path)
    (temporary / "somebody-elses").mkdir()
    before = set(temporary.iterdir())
    gone = {dead, reused, old}
    assert set(sweep()) == gone
    assert set(temporary.iterdir()) == before - gone


def test_the_sweep_waits_for_a_browser_that_outlives_its_owner(temporary: Path) -> None:
    path = abandoned(temporary, "ending", pid=dead_pid(), started="1", host=HERE)
    browser = subprocess.Popen(
        [sys.executable, "-c", "import sys; sys.stdin.read()", f"--user-data-dir={path}"], stdin=subprocess.PIPE
    )
    try:
        lock(path, HERE, browser.pid)
        assert sweep() == []
    finally:
        browser.kill()
        browser.wait()
    assert sweep() == [path]


def test_process_start_is_the_same_for_one_process_and_none_for_a_dead_or_finished_one() -> None:
    assert process_start(os.getpid()) == process_start(os.getpid()) is not None
    assert process_start(dead_pid()) is None
    child = subprocess.Popen([sys.executable, "-c", ""], stdout=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.read()  # it has ended, or is about to; not yet waited for
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert process_start(child.pid) is None, "a zombie uses nothing"
    child.wait()
