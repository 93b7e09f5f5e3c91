"""Performance traces of a page, recorded by Chrome and written to a file as they come.

Facts, measured on Chromium 156. A browser records one trace at a time, whoever asks. Recorded on the page's own session
it tells whose page it is; on the browser's it does not. What takes time is putting the events into JSON when the
recording has ended (about 10 s for 100 MB), of which Chrome tells nothing; having it compressed takes twice as long. A
session that goes away ends its recording.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import logging
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO
from weakref import WeakKeyDictionary, ref

from pagelens.cdp.session import Reply
from pagelens.core.deadlines import COMMAND
from pagelens.errors import FileFailed, PagelensError, ProtocolError, TraceFailed

if TYPE_CHECKING:
    from pagelens.browser.host import BrowserHost
    from pagelens.browser.page import Page
    from pagelens.cdp.session import Session

__all__ = ["CATEGORIES", "CONVERTING", "Recorded", "TraceRecorder", "recorder_of"]

log = logging.getLogger(__name__)

#: What `pagelens.analysis.trace` reads, and no more: half of what DevTools records.
CATEGORIES = (
    "blink.console",
    "blink.user_timing",
    "devtools.timeline",
    "loading",
    "navigation",
    "rail",
    "v8.execute",
    "disabled-by-default-devtools.timeline",
    "disabled-by-default-devtools.timeline.stack",
    "disabled-by-default-devtools.v8-source-rundown",
    "disabled-by-default-devtools.v8-source-rundown-sources",
    "disabled-by-default-layout_shift.debug",
    "disabled-by-default-v8.cpu_profiler",
    "disabled-by-default-v8.cpu_profiler.hires",
)
#: For a filmstrip; what matching each selector cost, which itself costs time.
SCREENSHOTS = ("disabled-by-default-devtools.screenshot",)
SELECTOR_STATS = ("disabled-by-default-blink.debug",)
#: Chrome's memory for the events: about three times as much as JSON. What comes when it is full is lost.
BUFFER_KB = 400_000
#: Seconds that Chrome may take to put a recording together. The largest takes a minute.
CONVERTING = 300.0
#: Seconds that somebody waits for a recording that is being given up.
_GIVING_UP = 10.0
#: Bytes that are read at once, and how many reads are under way.
_CHUNK = 1 << 20
_READS = 2
#: Milliseconds between two reports of how full the buffer is.
_USAGE = 500
#: The part of the buffer from which on it counts as full.
_FULL = 0.99

#: What is being recorded, by browser.
_recorders: WeakKeyDictionary[BrowserHost, TraceRecorder] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recording that has ended.

    Attributes:
        path: the trace: JSON, as DevTools and Perfetto load it. It is there until `remove`, at most as long as this is.
        size: its bytes.
        seconds: how long was recorded.
        data_loss: Chrome's memory was full before the end: the last part is missing.
    """

    path: Path
    size: int
    seconds: float
    data_loss: bool
    _folder: tempfile.TemporaryDirectory[str]

    def remove(self) -> None:
        """The file is not needed any more. Idempotent."""
        self._folder.cleanup()


#: Told now and then: what is being done, in a few words.
Told = Callable[[str], object]


def recorder_of(host: BrowserHost) -> TraceRecorder | None:
    """What a browser is recording, or has recorded without anybody taking it."""
    recorder = _recorders.get(host)
    if recorder is not None and recorder.failure is not None:
        del _recorders[host]
        return None
    return recorder


class TraceRecorder:
    """One recording: `start` it, then `stop` it, or `discard` it.

    Whatever happens to the page meanwhile, the next recording can begin: one whose page is closed, or whose browser is
    gone, has ended by itself.

    Args:
        page: whose.
        screenshots: with pictures of the page, for a filmstrip.
        selector_stats: with the time that each CSS selector took.

    Attributes:
        page: whose it is.
        started: when it began, as `time.monotonic` counts.
        failure: why there will be no trace.
    """

    def __init__(self, page: Page, *, screenshots: bool = False, selector_stats: bool = False) -> None:
        self.page = page
        self.started = 0.0
        self.failure: PagelensError | None = None
        self._categories = [
            *CATEGORIES,
            *(SCREENSHOTS if screenshots else ()),
            *(SELECTOR_STATS if selector_stats else ()),
        ]
        self._used = 0.0
        self._ending: asyncio.Task[Recorded] | None = None
        self._giving_up: asyncio.Task[None] | None = None
        self._listeners: list[Told] = []
        self._off: list[Callable[[], None]] = []
        self._complete: asyncio.Future[dict[str, Any]] | None = None

    @property
    def is_recording(self) -> bool:
        """Whether it goes on."""
        return bool(self.started) and self.failure is None and self._ending is None and self._giving_up is None

    @property
    def seconds(self) -> float:
        """How long it has been going on."""
        return time.monotonic() - self.started

    async def start(self) -> None:
        """Begin.

        Raises:
            TraceFailed: another recording goes on in this browser.
            PageClosed, PageCrashed, ConnectionLost: the page can't be recorded.
        """
        page, session = self.page, self.page.session
        page.raise_if_unusable()
        await self._after_others()
        _recorders[page.host] = self
        self._complete = asyncio.get_running_loop().create_future()
        self._off = [
            session.on("Tracing.tracingComplete", self._completed),
            session.on("Tracing.bufferUsage", self._told_usage),
            page.closed_signal.connect(lambda _: self._fail(page.closed_error())),
        ]
        session.on_closed(_told_of_the_end(ref(self)))
        self.started = time.monotonic()
        asked = session.post(
            "Tracing.start",
            {
                "transferMode": "ReturnAsStream",
                "bufferUsageReportingInterval": _USAGE,
                "traceConfig": {
                    "excludedCategories": ["*"],
                    "includedCategories": self._categories,
                    "traceBufferSizeInKb": BUFFER_KB,
                },
            },
        )
        try:
            await asked.within(COMMAND)
        except ProtocolError as error:
            self._fail(_refused(error))
            raise _refused(error) from error
        except BaseException:
            # Whether Chrome has begun is not known.
            self.discard()
            raise
        self.started = time.monotonic()

    async def stop(self, told: Told = lambda _: None) -> Recorded:
        """End it, and wait until it is written.

        Whoever gives up waiting may call this again: it is written all the same.

        Args:
            told: called now and then.

        Raises:
            TraceFailed: Chrome did not give it. FileFailed: it can't be written.
            PageClosed, ConnectionLost: its page is gone, and the recording with it.
        """
        if self.failure is not None:
            raise self.failure
        if self._ending is None:
            self._ending = asyncio.get_running_loop().create_task(self._end(), name="trace")
            self._ending.add_done_callback(_retrieve)
        self._listeners.append(told)
        try:
            recorded = await asyncio.shield(self._ending)
        finally:
            self._listeners.remove(told)
        self._forget()
        return recorded

    def discard(self) -> None:
        """End it and throw it away, if it goes on. Waits for nothing; the next recording waits for its end."""
        if self.failure is not None or self._ending is not None or self._giving_up is not None:
            return
        asked = self.page.session.post("Tracing.end")
        self._giving_up = asyncio.get_running_loop().create_task(self._throw_away(asked), name="discarded trace")

    # -- the others ----------------------------------------------------------------------------------

    async def _after_others(self) -> None:
        other = recorder_of(self.page.host)
        if other is None:
            return
        if other._giving_up is not None:
            await asyncio.wait([other._giving_up], timeout=_GIVING_UP)
            if recorder_of(self.page.host) is None:
                return
            raise TraceFailed("Chrome is still busy with a recording that was given up.", "Try again.")
        if other._ending is None:
            raise TraceFailed(
                f"A trace of page {other.page.id} is being recorded already, for {other.seconds:.0f} s now.",
                f"performance_stop_trace with pageId {other.page.id} ends it and shows what is in it.",
            )
        if not other._ending.done():
            raise TraceFailed(
                f"Chrome is still putting together the trace of page {other.page.id}.",
                f"performance_stop_trace with pageId {other.page.id} waits for it and shows what is in it.",
            )
        other._forget()  # nobody came for it

    # -- the end -------------------------------------------------------------------------------------

    async def _end(self) -> Recorded:
        session, seconds = self.page.session, self.seconds
        assert self._complete is not None
        ticking = asyncio.get_running_loop().create_task(self._tick(), name="progress of a trace")
        try:
            try:
                await session.send("Tracing.end")
                async with asyncio.timeout(CONVERTING):
                    complete = await self._complete
            except TimeoutError:
                raise TraceFailed(
                    f"Chrome did not put the trace together within {CONVERTING:g} s.", "Record a shorter time."
                ) from None
            except ProtocolError as error:
                if self.failure is not None:
                    raise self.failure from error
                raise TraceFailed(
                    f"Chrome gave no trace: {error.protocol_message}.", "Start another recording."
                ) from error
            stream = complete.get("stream")
            if stream is None:
                raise TraceFailed("Chrome recorded a trace and gave none.", "Start another recording.")
            folder = tempfile.TemporaryDirectory(prefix="pagelens-trace-", ignore_cleanup_errors=True)
            path = Path(folder.name) / "trace.json"
            try:
                with path.open("wb") as file:
                    size = await self._read(session, stream, file)
            except OSError as error:
                raise FileFailed(f"The trace could not be written: {error.strerror or error}.") from error
            finally:
                session.post("IO.close", {"handle": stream})
            data_loss = bool(complete.get("dataLossOccurred")) or self._used >= _FULL
            return Recorded(path, size, seconds, data_loss, folder)
        except PagelensError as error:
            self._fail(error)
            raise
        finally:
            ticking.cancel()

    async def _read(self, session: Session, stream: str, file: BinaryIO) -> int:
        """Copy a stream of Chrome's to a file; returns its bytes."""
        size = 0
        reads: list[Reply] = []
        while True:
            while len(reads) < _READS:
                # The next piece is under way while this one is written.
                reads.append(session.post("IO.read", {"handle": stream, "size": _CHUNK}))
            chunk = await reads.pop(0).within(COMMAND)
            data: str = chunk["data"]
            piece = base64.b64decode(data) if chunk.get("base64Encoded") else data.encode("utf-8", "surrogatepass")
            file.write(piece)
            size += len(piece)
            self._tell(f"{size / 1e6:,.1f} MB of the trace read")
            if chunk["eof"]:
                return size

    async def _throw_away(self, asked: Reply) -> None:
        assert self._complete is not None
        with contextlib.suppress(PagelensError, TimeoutError):
            await asked.within(COMMAND)
            async with asyncio.timeout(CONVERTING):
                complete = await self._complete
            if stream := complete.get("stream"):
                self.page.session.post("IO.close", {"handle": stream})
        self._fail(TraceFailed("The recording was given up.", "Start another one."))

    async def _tick(self) -> None:
        begun = time.monotonic()
        while True:
            self._tell(f"Chrome puts the trace together ({time.monotonic() - begun:.0f} s)")
            await asyncio.sleep(1)

    def _tell(self, words: str) -> None:
        for listener in list(self._listeners):
            listener(words)

    # -- told by Chrome ------------------------------------------------------------------------------

    def _completed(self, event: dict[str, Any]) -> None:
        if self._complete is not None and not self._complete.done():
            self._complete.set_result(event)

    def _told_usage(self, event: dict[str, Any]) -> None:
        self._used = max(self._used, float(event.get("percentFull", event.get("value", 0.0))))

    def _session_closed(self, reason: str) -> None:
        if self.page.closed is None:
            self._fail(TraceFailed(f"The trace of page {self.page.id} is lost: {reason}.", "Start another recording."))
        else:
            self._fail(self.page.closed_error())

    def _fail(self, error: PagelensError) -> None:
        if self.failure is not None:
            return
        self.failure = error
        if self._complete is not None and not self._complete.done():
            self._complete.set_exception(error)
            self._complete.exception()  # it is told even if nobody waits
        self._forget()

    def _forget(self) -> None:
        if _recorders.get(self.page.host) is self:
            del _recorders[self.page.host]
        for off in self._off:
            off()
        self._off = []


def _told_of_the_end(recorder: ref[TraceRecorder]) -> Callable[[str], None]:
    """What tells a recorder that its session is over. A session keeps this for good: it must not keep the recorder."""

    def tell(reason: str) -> None:
        if (there := recorder()) is not None:
            there._session_closed(reason)

    return tell


def _refused(error: ProtocolError) -> TraceFailed:
    if "already" in error.protocol_message:
        return TraceFailed(
            "Chrome is recording a trace already, for somebody else: a DevTools window, or another program.",
            "Stop it there, then try again.",
        )
    return TraceFailed(f"Chrome records no trace: {error.protocol_message}.", "Try again.")


def _retrieve(task: asyncio.Task[Recorded]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        log.info("a trace could not be had: %s", error)
