"""Starting and ending Chrome: real processes, real deaths."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
import pytest_asyncio

from pagelens.browser import process as process_module
from pagelens.browser.find import find_browser
from pagelens.browser.process import ChromeProcess, launch
from pagelens.core.options import Options
from pagelens.errors import BrowserNotFound, ConnectionLost, LaunchFailed, NoUsableSandbox, ProfileInUse

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Chrome is not started on Windows yet")

Launch = Callable[..., Awaitable[ChromeProcess]]


@pytest_asyncio.fixture(loop_scope="session")
async def start() -> AsyncIterator[Launch]:
    """Launches, and ends at the end of the test what the test has not."""
    started: list[ChromeProcess] = []

    async def launching(**options: Any) -> ChromeProcess:
        started.append(await launch(Options(headless=True, **options)))
        return started[-1]

    yield launching
    for process in started:
        await process.close()


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    directory = tmp_path / "tmp"
    directory.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(directory))
    return directory


@pytest.fixture
def fake(tmp_path: Path) -> Callable[[str], str]:
    """A browser that is a shell script; returns its path."""

    def make(script: str) -> str:
        path = tmp_path / "fake-chrome"
        path.write_text("#!/bin/sh\n" + script)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    return make


def using(directory: Path) -> list[psutil.Process]:
    """The processes whose command line names a profile under `directory`."""
    found = []
    for process in psutil.process_iter():
        try:
            if any(str(directory) in argument for argument in process.cmdline()):
                found.append(process)
        except psutil.Error:
            continue
    return found


async def until(condition: Callable[[], bool]) -> None:
    """Wait for what no event tells of: other processes. A wait with an end, not a measurement."""
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.02)


async def test_launch_answers_and_close_leaves_nothing(start: Launch, temporary: Path) -> None:
    process = await start(isolated=True)
    assert process.product.startswith("Chrome/")
    assert process.headless
    assert process.is_running
    assert process.profile.parent == temporary
    targets = await process.connection.root.send("Target.getTargets")
    assert [target["url"] for target in targets["targetInfos"]] == ["about:blank"], "and no browser_ui targets"
    assert using(process.profile)
    await process.close()
    assert not process.is_running
    assert process.connection.lost is not None
    assert not using(process.profile)
    assert os.listdir(temporary) == []
    await process.close()


async def test_no_port_is_open(start: Launch) -> None:
    process = await start(isolated=True)
    tree = [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]
    listening = [
        (one.name(), connection.laddr)
        for one in tree
        for connection in one.net_connections("tcp")
        if connection.status == psutil.CONN_LISTEN
    ]
    assert listening == []


async def test_the_viewport_is_what_was_asked_for_in_the_first_window(start: Launch) -> None:
    process = await start(isolated=True, viewport=(1111, 777))
    (target,) = (await process.connection.root.send("Target.getTargets"))["targetInfos"]
    window = await process.connection.root.send("Browser.getWindowForTarget", {"targetId": target["targetId"]})
    assert window["bounds"]["width"] == 1111
    assert window["bounds"]["height"] >= 777


async def test_decisions_are_logged_once(
    start: Launch, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setattr(process_module, "_said", set())
    caplog.set_level(logging.INFO, "pagelens")
    for _ in range(2):
        process = await launch(Options(isolated=True))
        await process.close()
        assert any("headless" in note for note in process.notes)
    assert caplog.text.count("Chrome runs headless") == 1


async def test_killed_chrome_fails_what_waits_and_close_tidies(start: Launch, temporary: Path) -> None:
    process = await start(isolated=True)
    lost = asyncio.Event()
    process.connection.on_lost(lambda reason: lost.set())
    os.kill(process.pid, signal.SIGKILL)
    await asyncio.wait_for(lost.wait(), 10)
    with pytest.raises(ConnectionLost):
        await process.connection.root.send("Browser.getVersion")
    await process.close()
    assert not using(process.profile)
    assert os.listdir(temporary) == []


async def test_a_stopped_chrome_is_killed(start: Launch, temporary: Path) -> None:
    process = await start(isolated=True)
    os.kill(process.pid, signal.SIGSTOP)
    await process.close()
    assert not using(process.profile)
    assert os.listdir(temporary) == []


async def test_a_cancelled_close_still_ends_everything(start: Launch, temporary: Path) -> None:
    process = await start(isolated=True)
    closing = asyncio.ensure_future(process.close())
    await asyncio.sleep(0)
    closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing
    assert not process.is_running
    assert os.listdir(temporary) == []


PARENT = """
import asyncio, sys, tempfile
from pagelens.browser.process import launch
from pagelens.core.options import Options

async def main():
    tempfile.tempdir = sys.argv[1]
    process = await launch(Options(headless=True, isolated=True))
    await process.connection.root.send("Target.createTarget", {"url": "data:text/html,<script>for(;;);</script>"})
    print(process.pid, flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV])
async def test_our_death_takes_chrome_along_and_the_next_start_sweeps(
    start: Launch, temporary: Path, number: signal.Signals
) -> None:
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PARENT, str(temporary), stdout=asyncio.subprocess.PIPE
    )
    assert parent.stdout is not None
    chrome = psutil.Process(int(await parent.stdout.readline()))
    assert using(temporary)
    parent.send_signal(number)
    await parent.wait()
    await until(lambda: not using(temporary))
    assert not chrome.is_running() or chrome.status() == psutil.STATUS_ZOMBIE
    (left,) = os.listdir(temporary)
    process = await start(isolated=True)
    assert os.listdir(temporary) == [process.profile.name]
    assert process.profile.name != left


async def test_a_profile_in_use_is_said_and_free_again_afterwards(start: Launch, tmp_path: Path) -> None:
    profile = str(tmp_path / "profile")
    first = await start(user_data_dir=profile)
    with pytest.raises(ProfileInUse, match=str(first.pid)):
        await start(user_data_dir=profile)
    os.kill(first.pid, signal.SIGKILL)
    await first.close()
    # The lock's link stays after a kill; its owner is dead.
    assert (tmp_path / "profile" / "SingletonLock").is_symlink()
    second = await start(user_data_dir=profile)
    assert second.is_running
    assert second.profile == tmp_path / "profile"
    await second.close()
    assert second.profile.exists()


async def test_another_machines_lock_ends_the_start(start: Launch, tmp_path: Path) -> None:
    (tmp_path / "profile").mkdir()
    (tmp_path / "profile" / "SingletonLock").symlink_to("old-container-17")
    with pytest.raises(ProfileInUse, match="old-container"):
        await start(user_data_dir=str(tmp_path / "profile"))


async def test_a_lock_that_comes_while_chrome_starts_is_still_explained(
    start: Launch, tmp_path: Path, fake: Callable[[str], str]
) -> None:
    path = fake('echo "Opening in existing browser session."; exit 0\n')
    with pytest.raises(ProfileInUse, match="Opening in existing browser session"):
        await start(executable_path=path, user_data_dir=str(tmp_path / "profile"))


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="needs root")
async def test_chromes_own_refusal_to_run_as_root_is_recognised(start: Launch, temporary: Path) -> None:
    with pytest.raises(NoUsableSandbox) as caught:
        await start(isolated=True, ignore_default_chrome_args=("--no-sandbox",))
    assert "--chrome-arg=--no-sandbox" in caught.value.hint
    assert "sysctl" in caught.value.hint
    assert os.listdir(temporary) == []


@pytest.mark.parametrize(
    ("output", "error", "words"),
    [
        ("[1:1:FATAL:zygote_host_impl_linux.cc(128)] No usable sandbox! Update your kernel", NoUsableSandbox, "sysctl"),
        (
            "chrome: error while loading shared libraries: libnss3.so: cannot open shared object file",
            LaunchFailed,
            "libnss3.so is missing",
        ),
        ("[1:1:ERROR:ozone_platform_x11.cc] Missing X server or $DISPLAY", LaunchFailed, "--headless"),
        ("DevTools remote debugging requires a non-default data directory.", LaunchFailed, "--user-data-dir"),
        ("something new", LaunchFailed, r"exit code 7\. Its last words:\n  \| something new"),
    ],
)
async def test_why_it_ended_is_read_from_its_own_words(
    start: Launch, temporary: Path, fake: Callable[[str], str], output: str, error: type[LaunchFailed], words: str
) -> None:
    path = fake(f"cat >&2 <<'END'\n{output}\nEND\nexit 7\n")
    with pytest.raises(error, match=words) as caught:
        await start(isolated=True, executable_path=path)
    assert type(caught.value) is error
    assert path in caught.value.message
    assert output.split("\n")[0] in caught.value.message
    assert caught.value.hint
    assert os.listdir(temporary) == []


async def test_only_the_end_of_a_flood_of_stderr_is_kept(start: Launch, fake: Callable[[str], str]) -> None:
    path = fake("i=0; while [ $i -lt 20000 ]; do echo line $i >&2; i=$((i+1)); done; exit 3\n")
    with pytest.raises(LaunchFailed) as caught:
        await start(isolated=True, executable_path=path)
    assert "line 19999" in caught.value.message
    assert "line 19000\n" not in caught.value.message


async def test_killed_by_a_signal_is_said(start: Launch, fake: Callable[[str], str]) -> None:
    with pytest.raises(LaunchFailed, match=r"killed at its start by SIGSEGV.*wrote nothing"):
        await start(isolated=True, executable_path=fake("kill -SEGV $$\n"))


@pytest.mark.parametrize(
    "script",
    [
        "echo hello >&2\nsleep 98764217 & sleep 98764217\n",
        "trap '' TERM\necho hello >&2\nsleep 98764217 & while :; do sleep 98764217; done\n",
    ],
)
async def test_one_that_never_answers_is_ended_with_its_children(
    temporary: Path, fake: Callable[[str], str], script: str
) -> None:
    path = fake(script)
    with pytest.raises(LaunchFailed, match=r"did not answer within 0\.5 s(.|\n)*hello"):
        await launch(Options(headless=True, isolated=True, executable_path=path), timeout=0.5)
    assert not using(temporary)
    assert not using(Path("98764217")), "its children's argument"
    assert os.listdir(temporary) == []


async def test_one_that_closes_the_pipe_but_lives_on_is_ended(temporary: Path, fake: Callable[[str], str]) -> None:
    path = fake("exec 3<&- 4>&-\nsleep 1000\n")
    with pytest.raises(LaunchFailed, match="closed its debugging pipe"):
        await launch(Options(headless=True, isolated=True, executable_path=path))
    assert os.listdir(temporary) == []


async def test_a_cancelled_launch_leaves_nothing(temporary: Path, fake: Callable[[str], str]) -> None:
    launching = asyncio.ensure_future(launch(Options(isolated=True, executable_path=fake("sleep 1000\n"))))
    await until(lambda: bool(using(temporary)))
    launching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await launching
    assert not using(temporary)
    assert os.listdir(temporary) == []


async def test_no_executable_at_all(start: Launch, tmp_path: Path, fake: Callable[[str], str]) -> None:
    with pytest.raises(BrowserNotFound, match="does not exist"):
        await start(executable_path=str(tmp_path / "missing"))
    garbage = tmp_path / "garbage"
    garbage.write_bytes(b"\x7fELF\x00nonsense")
    garbage.chmod(0o755)
    with pytest.raises(LaunchFailed, match="Exec format error"):
        await start(isolated=True, executable_path=str(garbage))


async def test_a_script_that_starts_the_browser_works_like_the_browser(
    start: Launch, fake: Callable[[str], str]
) -> None:
    real = find_browser(Options()).path
    process = await start(isolated=True, executable_path=fake(f'"{real}" "$@"\n'))  # not exec: Chrome is its child
    assert process.product.startswith("Chrome/")
    await process.close()
    assert not using(process.profile)


@pytest.mark.skipif(sys.platform != "linux", reason="lists /proc")
async def test_pipes_reach_the_child_also_when_the_low_numbers_are_free() -> None:
    # 3 and 4 are what the event loop has usually taken; here the child is started from a process that has them free.
    program = """
import asyncio, os
loop = asyncio.new_event_loop()
moved = [os.dup(number) for number in (3, 4)]
from pagelens.browser.process import _low_numbers_taken
os.closerange(3, 5)
before = set(os.listdir("/proc/self/fd"))
with _low_numbers_taken():
    fresh = os.pipe()
    print(min(fresh) > 4)
    [os.close(number) for number in fresh]
print(before == set(os.listdir("/proc/self/fd")))
os._exit(0)
"""
    done = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-u", "-c", program], capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["True", "True"], done.stderr
