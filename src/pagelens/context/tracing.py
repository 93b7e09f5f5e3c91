"""Performance traces of a page: recorded, saved, analysed; and those that are kept to be asked about."""

from __future__ import annotations

import asyncio
import gzip
import json
import re
import shutil
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from pagelens.analysis.progress import in_thread
from pagelens.browser.quiet import MOST, until_quiet
from pagelens.browser.tracing import Recorded, TraceRecorder, recorder_of
from pagelens.core.deadlines import NAVIGATION, patient
from pagelens.core.safe_text import one_line, shortened
from pagelens.errors import FileFailed, InvalidInput, RecordNotFound, TraceFailed

if TYPE_CHECKING:
    from pagelens.analysis.progress import Statement
    from pagelens.analysis.source_maps import SourceMap
    from pagelens.analysis.trace import Insight, PageLoad, Trace
    from pagelens.browser.navigation import NavigationResult
    from pagelens.context.mcp_page import McpPage
    from pagelens.core.progress import Tell

__all__ = ["Conditions", "PageTrace", "PageTracing", "TraceStore", "copy_trace"]

#: Traces kept to be asked about; one of 100 MB takes some 150 MB of memory.
MAX_TRACES = 4
#: How far a recording is when its parts are done, of 1.
_LOADED, _QUIET, _GIVEN = 0.3, 0.5, 0.8


#: How much of a trace's end is searched for its metadata, which take some 60 kB.
_TAIL = 1 << 20
#: Where the metadata of a trace begin, with at least one in them.
_METADATA = re.compile(rb'\],\s*"metadata":\s*\{(?=\s*")')


def _silent(done: float, total: float, message: str) -> None:
    """Progress that nobody asked for."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """Under which conditions a trace was recorded; None for what is not known.

    Attributes:
        cold: whether nothing came from the cache.
        asked_url: the address that was loaded, before redirects; empty when nothing was loaded.
        cpu_rate: how many times slower scripts ran. network: the emulated one.
        document: Chrome's id of the document that was there when the recording began.
        seconds: how long was recorded. size: bytes of the trace.
        is_quiet: whether the page had come to rest at the end; None when a caller ended it.
        data_loss: the end is missing: there was too much to record.
        note: what else is to be known, a sentence.
    """

    cold: bool | None = None
    asked_url: str = ""
    cpu_rate: float = 1.0
    network: str | None = None
    document: str = ""
    seconds: float = 0.0
    size: int = 0
    is_quiet: bool | None = None
    data_loss: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class PageTrace:
    """A trace, analysed.

    Attributes:
        page_id: the page that it was recorded on; None for one that was read from a file.
        path: the file that it was read from, or written to.
    """

    trace: Trace
    conditions: Conditions = Conditions()
    page_id: int | None = None
    path: Path | None = None

    def load(self, set_id: str | None = None) -> PageLoad:
        """A navigation by its id; without one the last, which is what a recording is made for.

        Raises:
            RecordNotFound: there is none of this id.
        """
        loads = self.trace.navigations
        if set_id is None:
            return loads[-1]
        for load in loads:
            if load.id == set_id:
                return load
        raise RecordNotFound(
            f"The trace has no insight set {shortened(one_line(set_id), 60)}.",
            f"It has {', '.join(load.id for load in loads)}.",
        )

    def insight(self, set_id: str | None, name: str) -> Insight:
        """An insight by its name, in whatever case; raises `RecordNotFound` when there is none."""
        load = self.load(set_id)
        folded = name.replace("_", "").replace(" ", "").lower()
        for known, insight in load.insights.items():
            if known.lower() == folded:
                return insight
        raise RecordNotFound(
            f"There is no insight {shortened(one_line(name), 60)}.", f"There are {', '.join(load.insights)}."
        )


class PageTracing:
    """Recording one page, for one agent.

    Attributes:
        newest: the last trace of the page.
    """

    def __init__(self, page: McpPage) -> None:
        self._page = page
        self._conditions = Conditions()
        self._use_cache: Callable[[], None] | None = None
        self.newest: PageTrace | None = None

    async def start(
        self,
        *,
        reload: bool = True,
        cold: bool = True,
        screenshots: bool = False,
        selector_stats: bool = False,
        tell: Tell = _silent,
    ) -> NavigationResult | None:
        """Begin to record. With `reload` the page is loaded from the address that was asked for in the first place,
        from a blank page, so that nothing of the document before it is in the way.

        Args:
            cold: load everything from the network.
            screenshots, selector_stats: as `TraceRecorder`.

        Returns:
            How the loading went.

        Raises:
            TraceFailed: another recording goes on. InvalidInput: the page is blank.
            NavigationFailed: it can't be loaded.
        """
        page = self._page.page
        await page.ready()
        page.raise_if_unusable()
        settings = self._page.emulation.settings
        now = Conditions(
            cpu_rate=settings.cpu_throttling_rate, network=settings.network, document=page.main_frame.loader_id
        )
        recorder = TraceRecorder(page, screenshots=screenshots, selector_stats=selector_stats)
        if not reload:
            await recorder.start()
            self._conditions = now
            return None
        url, note = self._asked_url()
        running = recorder_of(page.host)
        if running is None or not running.is_recording:
            # Not before it is known that it can be recorded.
            await page.navigate("about:blank", timeout=patient(NAVIGATION, self._page.emulation.patience))
        await recorder.start()
        try:
            if cold:
                self._use_cache = page.bypass_cache()
            tell(0, 1, f"loading {shortened(one_line(url), 100)}")
            result = await self._page.navigate(url)
            tell(_LOADED, 1, "loaded")
        except BaseException:
            self.discard()
            raise
        self._conditions = replace(now, cold=cold, asked_url=url, note=note)
        return result

    async def end(self, *, is_quiet: bool | None = None, tell: Tell = _silent) -> tuple[Recorded, Conditions]:
        """End the recording, and wait until Chrome has given it.

        Raises:
            TraceFailed: the page is not being recorded, or Chrome gave no trace. FileFailed: it can't be written.
        """
        recorder = self.check_recording()
        conditions = self._conditions
        self._end_bypass()
        recorded = await recorder.stop(lambda words: tell(_QUIET, 1, words))
        self._conditions = Conditions()
        await asyncio.to_thread(_note, recorded.path, conditions)
        return recorded, replace(
            conditions,
            is_quiet=is_quiet,
            seconds=recorded.seconds,
            size=recorded.size,
            data_loss=recorded.data_loss,
        )

    async def analyse(
        self, recorded: Recorded, conditions: Conditions, *, path: Path | None = None, tell: Tell = _silent
    ) -> PageTrace:
        """What `end` gave, analysed; its file is removed.

        Args:
            path: where it was saved.

        Raises:
            BadTrace: it can't be analysed.
        """
        try:
            trace = await analysed(recorded.path, await self._page.sources.maps(), tell, _GIVEN)
        finally:
            recorded.remove()
        self.newest = PageTrace(trace, conditions, self._page.id, path)
        return self.newest

    def check_recording(self) -> TraceRecorder:
        """What records the page; raises `TraceFailed` when nothing does."""
        page = self._page.page
        recorder = recorder_of(page.host)
        if recorder is None or recorder.page is not page:
            where = f" Page {recorder.page.id} is." if recorder is not None else ""
            raise TraceFailed(f"Page {page.id} is not being recorded.{where}", "performance_start_trace begins.")
        return recorder

    async def until_quiet(self, tell: Tell = _silent) -> bool:
        """Wait for the page to come to rest; see `pagelens.browser.quiet`. Ends the recording when it is given up."""
        tell(_LOADED, 1, "waiting until the page is quiet")
        try:
            return await until_quiet(self._page.page, most=patient(MOST, self._page.emulation.patience))
        except BaseException:
            self.discard()
            raise

    def discard(self) -> None:
        """End the recording of the page, if there is one, and throw it away."""
        page = self._page.page
        recorder = recorder_of(page.host)
        if recorder is not None and recorder.page is page:
            recorder.discard()
        self._end_bypass()
        self._conditions = Conditions()

    def _end_bypass(self) -> None:
        if self._use_cache is not None:
            self._use_cache()
            self._use_cache = None

    def _asked_url(self) -> tuple[str, str]:
        """The address that the document was asked for with in the first place, and what is to be said of it."""
        page = self._page.page
        url = page.url
        if url in ("", "about:blank"):
            raise InvalidInput(
                f"Page {page.id} is blank: there is nothing to load.",
                "navigate_page first; or record what you do in it with reload: false.",
            )
        loader = page.main_frame.loader_id
        document = self._page.network.find(lambda request: request.request_id == loader)
        base, hash_, fragment = url.partition("#")
        if document is None or document.url.partition("#")[0] != base or document.url_length > len(document.url):
            return url, ""  # it has moved on by itself, or nothing is known of how it came
        first = next(iter(document.redirect_chain), document)
        if document.method != "GET":
            return url, f"It had been loaded with {one_line(document.method)}; for the trace GET was used."
        if first.method != "GET":
            return url, ""
        return first.url + hash_ + fragment, ""


class TraceStore:
    """The traces of one agent: the last of each page, and files. The ones that were not asked for longest leave."""

    def __init__(self) -> None:
        self._recorded: OrderedDict[int, PageTrace] = OrderedDict()
        self._files: OrderedDict[Path, tuple[tuple[int, int], PageTrace]] = OrderedDict()

    def keep(self, trace: PageTrace) -> None:
        """Keep a trace that was recorded."""
        if trace.page_id is not None:
            self._recorded[trace.page_id] = trace
            self._recorded.move_to_end(trace.page_id)
            self._make_room()

    def newest(self, page_id: int | None = None) -> PageTrace:
        """The last trace of a page; without one the last of any.

        Raises:
            RecordNotFound: there is none.
        """
        found = self._recorded.get(page_id) if page_id is not None else next(reversed(self._recorded.values()), None)
        if found is None:
            of = f" of page {page_id}" if page_id is not None else ""
            raise RecordNotFound(
                f"There is no trace{of}.",
                "performance_start_trace records one; traceFilePath reads one that was saved.",
            )
        return found

    async def file(self, path: Path, tell: Tell = _silent) -> PageTrace:
        """The trace in a file, read unless it is known.

        Raises:
            FileFailed, BadTrace: as `Trace.load`.
        """
        version = await asyncio.to_thread(_version, path)
        known = self._files.get(path)
        if known is None or known[0] != version:
            known = (version, PageTrace(await analysed(path, {}, tell), path=path))
            self._files[path] = known
        self._files.move_to_end(path)
        self._make_room()
        return known[1]

    def clear(self) -> None:
        """Forget all of them."""
        self._recorded.clear()
        self._files.clear()

    def _make_room(self) -> None:
        for kept in (self._recorded, self._files):
            while len(kept) > MAX_TRACES:
                kept.popitem(last=False)


async def analysed(path: Path, maps: Mapping[str, SourceMap], tell: Tell, begin: float = 0.0) -> Trace:
    """Analyse a trace in a thread, from `begin` of the whole work on; a task that is cancelled stops it.

    Raises:
        FileFailed, BadTrace: as `Trace.load`.
    """
    from pagelens.analysis.trace import Trace

    def heard(statement: Statement) -> None:
        tell(begin + (1 - begin) * statement.done, 1, str(statement))

    return await in_thread(
        lambda progress, cancelled: Trace.load(path, source_maps=maps, progress=progress, cancelled=cancelled), heard
    )


def copy_trace(recorded: Recorded, file: BinaryIO, path: Path) -> None:
    """Write a trace as Chrome gave it to a file, compressed if the name of that ends in ``.gz``. Blocks.

    Raises:
        FileFailed: it can't be written.
    """
    try:
        with recorded.path.open("rb") as source:
            if path.suffix.lower() == ".gz":
                with gzip.GzipFile("", "wb", 6, file, 0) as packed:
                    shutil.copyfileobj(source, packed, 1 << 20)
            else:
                shutil.copyfileobj(source, file, 1 << 20)
    except OSError as error:
        raise FileFailed(f"The trace could not be written to {path}: {error.strerror or error}.") from error


def _note(path: Path, conditions: Conditions) -> None:
    """Write into a trace under which conditions it was recorded, in the words that DevTools reads."""
    words: dict[str, object] = {"source": "pagelens", "cpuThrottling": conditions.cpu_rate}
    if conditions.network is not None:
        words["networkThrottling"] = conditions.network
    try:
        with path.open("r+b") as file:
            end = file.seek(0, 2)
            begin = max(end - _TAIL, 0)
            file.seek(begin)
            tail = file.read()
            found = list(_METADATA.finditer(tail))
            if not found:
                return  # another Chrome's form: it is readable as it is
            at = found[-1].end()
            file.seek(begin + at)
            file.write(json.dumps(words)[1:-1].encode() + b"," + tail[at:])
    except OSError as error:
        raise FileFailed(f"The trace could not be written: {error.strerror or error}.") from error


def _version(path: Path) -> tuple[int, int]:
    try:
        status = path.stat()
    except OSError as error:
        raise FileFailed(f"{path} can't be read: {error.strerror or error}.") from error
    return status.st_mtime_ns, status.st_size
