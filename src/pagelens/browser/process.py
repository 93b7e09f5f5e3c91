"""Start Chrome, hold it, end it.

Chrome talks to us through two pipes and nothing else: no port is open, and when our process ends in whatever way,
the pipe ends with it and Chrome goes too.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

from pagelens.browser.arguments import Arguments, build_arguments
from pagelens.browser.find import FoundBrowser, find_browser
from pagelens.browser.launch_errors import explain_failure
from pagelens.browser.preferences import write_preferences
from pagelens.browser.profile import Profile, prepare_profile
from pagelens.cdp.connection import Connection
from pagelens.cdp.transport import PipeTransport
from pagelens.core.deadlines import BROWSER_START, SHUTDOWN
from pagelens.core.options import Options
from pagelens.errors import CommandTimeout, ConnectionLost, LaunchFailed, ProtocolError

__all__ = ["ChromeProcess", "launch"]

log = logging.getLogger(__name__)

# How much of Chrome's stderr is kept, in bytes: the end is what explains a failure.
_TAIL = 16 * 1024
# Decisions already logged: each is said once a process, however often Chrome is started again.
_said: set[str] = set()


async def launch(options: Options, *, timeout: float = BROWSER_START) -> ChromeProcess:
    """Find Chrome, prepare its profile, start it, and wait until it answers.

    Args:
        timeout: seconds until the first answer.

    Raises:
        BrowserNotFound: there is no browser.
        ProfileInUse: another browser has the profile.
        NoUsableSandbox: this system lets Chrome make no sandbox.
        LaunchFailed: it ended, or did not answer; with the end of its own stderr.
    """
    if sys.platform == "win32":
        raise LaunchFailed(
            "pagelens can't start Chrome on Windows yet.", "Run it inside WSL, with a browser installed there."
        )
    browser = find_browser(options)
    profile = await prepare_profile(options, browser)
    try:
        arguments = build_arguments(options, profile.path)
        ours = options.user_data_dir is None
        await asyncio.to_thread(write_preferences, profile.path, options, ours=ours, headless=arguments.headless)
        process = await _start(browser, arguments, profile)
    except BaseException:
        await profile.remove()
        raise
    try:
        await process._first_answer(timeout)
    except BaseException:
        await process.close()
        raise
    for note in arguments.notes:
        if note not in _said:
            _said.add(note)
            log.info(note)
    log.debug("started %s as process %d on %s", process.product, process.pid, profile.path)
    return process


async def _start(browser: FoundBrowser, arguments: Arguments, profile: Profile) -> ChromeProcess:
    # Chrome expects its ends at 3 and 4. While these numbers are taken in our process, neither the pipes nor what
    # the subprocess module opens for itself can have them, so moving ours there in the child hurts nothing.
    with _low_numbers_taken():
        chrome_reads, we_write = os.pipe()
        we_read, chrome_writes = os.pipe()
        output, chrome_says = os.pipe()

        def move_pipes() -> None:
            os.dup2(chrome_reads, 3)
            os.dup2(chrome_writes, 4)

        try:
            child = await asyncio.create_subprocess_exec(
                browser.path,
                *arguments.switches,
                stdin=asyncio.subprocess.DEVNULL,
                # A pipe that asyncio does not know of: its wait() would also wait for the end of its own pipes, which a
                # helper that outlives Chrome can hold open.
                stdout=chrome_says,
                stderr=chrome_says,
                pass_fds=(3, 4),
                preexec_fn=move_pipes,
                # A group of its own: Ctrl-C in our terminal is ours to handle, and all of Chrome can be killed at once.
                start_new_session=True,
            )
        except BaseException as error:
            for number in (we_read, we_write, output):
                os.close(number)
            if isinstance(error, OSError):
                raise LaunchFailed(
                    f"{browser.path} ({browser.how}) can't be started: {error.strerror or error}.",
                    "Name a working browser with --executable-path, or run `pagelens doctor`.",
                ) from error
            raise
        finally:
            for number in (chrome_reads, chrome_writes, chrome_says):
                os.close(number)
    return ChromeProcess(child, Connection(PipeTransport(we_read, we_write)), output, browser, arguments, profile)


class ChromeProcess:
    """A Chrome that we started. Made by `launch`; ended by `close`, which must be called, also after it has crashed.

    Attributes:
        connection: to the browser, started.
        product: e.g. ``Chrome/156.0.8078.108``.
        pid: of the browser process.
        headless: whether it has no window.
        profile: its profile directory.
        notes: what was decided on the user's behalf, one sentence each.
        browser: what was found and started.
        owned: True: it is ours to end.
    """

    owned = True

    def __init__(
        self,
        child: asyncio.subprocess.Process,
        connection: Connection,
        output: int,
        browser: FoundBrowser,
        arguments: Arguments,
        profile: Profile,
    ) -> None:
        self.connection = connection
        self.product = ""
        self.pid = child.pid
        self.headless = arguments.headless
        self.profile: Path = profile.path
        self.notes = list(arguments.notes)
        self.browser = browser
        self._child = child
        self._profile = profile
        self._tail = bytearray()
        self._closing = asyncio.Lock()
        self._closed = False
        # Owned by us: ends at the end of the stream, or cancelled in close().
        self._drain = asyncio.get_running_loop().create_task(self._read_output(output), name="chrome output")

    @property
    def is_running(self) -> bool:
        """Whether the browser process lives."""
        return self._child.returncode is None

    def stderr_tail(self) -> str:
        """The end of what Chrome has written to its stdout and stderr, at most 16 KB."""
        return self._tail.decode("utf-8", "replace").strip()

    async def close(self) -> None:
        """End Chrome and all its processes, and delete a throwaway profile. Idempotent; never raises for a dead Chrome.

        It is asked first, then told by signal, then killed: at most about 3 + 2 seconds.
        """
        # Shielded: a cancelled caller must not leave half a browser behind.
        closing = asyncio.ensure_future(self._close())
        try:
            await asyncio.shield(closing)
        except asyncio.CancelledError:
            await closing
            raise

    async def _close(self) -> None:
        async with self._closing:
            if self._closed:
                return
            if self.is_running and self.connection.lost is None and self.product:
                self.connection.root.post("Browser.close")
                await self._ended_within(SHUTDOWN)
            await self.connection.close()
            if self.is_running:
                self._signal_all(signal.SIGTERM)
                await self._ended_within(2.0)
            # Helpers that outlive the browser process, and a browser that heeds nothing.
            self._signal_all(signal.SIGKILL)
            await self._child.wait()
            # Its last words are in the pipe already; a helper that lives on may hold the pipe open.
            await asyncio.wait({self._drain}, timeout=0.2)
            self._drain.cancel()
            await asyncio.gather(self._drain, return_exceptions=True)
            await self._profile.remove()
            self._closed = True

    async def _first_answer(self, timeout: float) -> None:
        try:
            await self.connection.start()
            version = await self.connection.root.send("Browser.getVersion", timeout=timeout)
        except CommandTimeout:
            raise explain_failure(self.browser, self.profile, self.stderr_tail(), answered_in=timeout) from None
        except (ConnectionLost, ProtocolError):
            # The pipe closes a moment before the process has ended and its last words are read.
            await self._ended_within(2.0)
            await asyncio.wait({self._drain}, timeout=1.0)
            raise explain_failure(
                self.browser, self.profile, self.stderr_tail(), exit_code=self._child.returncode
            ) from None
        self.product = str(version.get("product", "")).replace("HeadlessChrome/", "Chrome/")

    async def _ended_within(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._child.wait()

    def _signal_all(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)

    async def _read_output(self, output: int) -> None:
        """Keep Chrome from blocking on a full pipe, and keep the end of what it wrote."""
        stream = asyncio.StreamReader()
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(stream), os.fdopen(output, "rb", 0)
        )
        try:
            while data := await stream.read(64 * 1024):
                self._tail += data
                del self._tail[:-_TAIL]
        finally:
            transport.close()


@contextlib.contextmanager
def _low_numbers_taken() -> Iterator[None]:
    """Make sure that the file numbers 0 to 4 are all in use."""
    taken = []
    try:
        while (number := os.open(os.devnull, os.O_RDONLY)) <= 4:
            taken.append(number)
        os.close(number)
        yield
    finally:
        for number in taken:
            os.close(number)
