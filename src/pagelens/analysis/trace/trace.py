"""A trace, analysed: navigations with their metrics and insights, tasks, functions, requests."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pagelens.analysis.progress import Job, Progress
from pagelens.analysis.source_maps import SourceMap
from pagelens.analysis.trace.calls import Behind, CallNode, Calls, Span, Totals, UrlTime
from pagelens.analysis.trace.frames import Frames, Navigation, find_frames
from pagelens.analysis.trace.insights import Insight, View, find_insights
from pagelens.analysis.trace.interactions import Interaction, find_interactions, longest
from pagelens.analysis.trace.network import Request, find_requests
from pagelens.analysis.trace.paints import Lcp, Paints, find_paints, lcp_of
from pagelens.analysis.trace.profile import FunctionTime, find_samples
from pagelens.analysis.trace.recording import Recording, Thread, record
from pagelens.analysis.trace.shifts import Window, find_windows
from pagelens.analysis.trace.tasks import LONG_TASK, Activity, Task, long_tasks

__all__ = ["NO_NAVIGATION", "PageLoad", "ThreadWork", "Trace"]

#: The id of the time before the first navigation.
NO_NAVIGATION = "NO_NAVIGATION"
#: That time is left out when it is shorter, nothing happened in it, and a navigation follows. Microseconds.
_SHORT = 5_000_000


@dataclass(frozen=True, slots=True)
class PageLoad:
    """One navigation of the main frame, or the time before the first; milliseconds, None for what there is not.

    Attributes:
        id: ``NAVIGATION_0`` and so on, or ``NO_NAVIGATION``.
        url: the address, after redirects.
        begin, end: microseconds of Chrome's clock.
        cls: the score of the worst window.
        tbt_ms: what tasks of the main thread took beyond 50 ms each, from the first contentful paint on.
        insights: by name, those first whose mending would gain most, the others in DevTools' order.
    """

    id: str
    url: str
    begin: float
    end: float
    fcp_ms: float | None
    lcp_ms: float | None
    cls: float
    inp_ms: float | None
    ttfb_ms: float | None
    tbt_ms: float | None
    lcp: Lcp | None
    document: Request | None
    requests: tuple[Request, ...]
    windows: tuple[Window, ...]
    interactions: tuple[Interaction, ...]
    long_tasks: tuple[Task, ...]
    insights: dict[str, Insight]
    _view: View

    def activities(self, begin: float | None = None, end: float | None = None) -> list[Activity]:
        """The main thread's time by kind of work, the most of its own first. Arguments as for `functions`."""
        totals = self._totals(begin, end)
        return totals.activities() if totals is not None else []

    def functions(self, begin: float | None = None, end: float | None = None) -> list[FunctionTime]:
        """The main thread's time by function, the most of its own first; none when it was not profiled.

        Args:
            begin, end: only the parts of it in this span, microseconds of Chrome's clock; None: all of the load.
        """
        totals = self._totals(begin, end)
        return totals.functions() if totals is not None else []

    def scripts(self, begin: float | None = None, end: float | None = None) -> list[UrlTime]:
        """The main thread's time by script, the most of its own first. Arguments as for `functions`."""
        totals = self._totals(begin, end)
        return totals.urls() if totals is not None else []

    def behind(self, begin: float, end: float) -> Behind | None:
        """What the main thread was busy with in a span of time: a long task, or an interaction; None with nothing."""
        totals = self._totals(begin, end)
        return totals.behind() if totals is not None else None

    def call_tree(self, begin: float | None = None, end: float | None = None) -> CallNode | None:
        """The main thread's work from its tasks down, functions in it; None when nothing is known of it. Arguments as
        for `functions`."""
        totals = self._totals(begin, end)
        return totals.tree() if totals is not None else None

    def tasks_of(self, function: FunctionTime) -> list[tuple[Task, float]]:
        """The tasks in which a function ran, and how many milliseconds with all it called; the most first."""
        return self._view.calls.tasks(function, self.begin, self.end) if self._view.calls is not None else []

    def spans(self, begin: float | None = None, end: float | None = None, *, most: int = 20_000) -> list[Span]:
        """The main thread's pieces of work, functions among them, in their order: the longest when there are more than
        ``most``. Other arguments as for `functions`."""
        return self._view.calls.spans(*self._span(begin, end), most=most) if self._view.calls is not None else []

    def _span(self, begin: float | None, end: float | None) -> tuple[float, float]:
        return self.begin if begin is None else begin, self.end if end is None else end

    def _totals(self, begin: float | None, end: float | None) -> Totals | None:
        begin, end = self._span(begin, end)
        if (begin, end) == (self.begin, self.end) or self._view.calls is None:
            return self._view.totals
        return self._view.calls.totals(begin, end)


@dataclass(frozen=True, slots=True)
class ThreadWork:
    """A thread of a renderer, with what it did.

    Attributes:
        name: Chrome's, e.g. ``CrRendererMain``, ``DedicatedWorker thread``.
        url: the document that was last in its process.
        thread: its process and its number in that.
    """

    name: str
    url: str
    thread: Thread
    calls: Calls


class Trace:
    """A performance trace of a page in Chrome.

    Attributes:
        event_count, skipped_count: its events; those among them that have another form than Chrome's.
        begin, end: microseconds of Chrome's clock.
        requests: all of them, in their order.
        navigations: those of the main frame; before them what came before the first, when there is something to say.
            Never empty.
    """

    def __init__(self, recording: Recording, frames: Frames, maps: Mapping[str, SourceMap], job: Job) -> None:
        self._recording = recording
        self._frames = frames
        self.event_count = recording.count
        self.skipped_count = recording.skipped
        self.begin, self.end = frames.begin, frames.end
        job.step("requests, paints, shifts, interactions", 0.6)
        self.requests = find_requests(recording)
        self._by_id = {request.id: request for request in self.requests}
        self._paints = find_paints(recording, frames)
        self.windows = find_windows(recording, frames)
        self.interactions = find_interactions(recording)
        self._samples = find_samples(recording)
        self._calls: dict[Thread, Calls] = {}
        self.navigations: list[PageLoad] = []
        known = frames.navigations
        first = known[0].ts if known else frames.end
        before = self._load(NO_NAVIGATION, None, frames.begin, first, maps)
        quiet = before.inp_ms is None and not before.windows
        failed = any(one.state != "pass" for one in before.insights.values())
        if not known or first - frames.begin >= _SHORT or not quiet or failed:
            self.navigations.append(before)
        for at, navigation in enumerate(known):
            job.step(f"navigation {at + 1} of {len(known)}", 0.7 + 0.3 * at / len(known))
            end = known[at + 1].ts if at + 1 < len(known) else frames.end
            self.navigations.append(self._load(f"NAVIGATION_{at}", navigation, navigation.ts, end, maps))

    @classmethod
    def load(
        cls,
        source: Path | str | bytes,
        *,
        source_maps: Mapping[str, SourceMap] | None = None,
        progress: Progress | None = None,
        cancelled: threading.Event | None = None,
    ) -> Trace:
        """Analyse a trace.

        Args:
            source: a file (``.json``, ``.json.gz``) or its bytes.
            source_maps: by the address of a script, its map: modules that are in several scripts are found by them.
            progress: called now and then with a `Statement`; what it raises ends the analysis.
            cancelled: set to stop.

        Raises:
            AnalysisCancelled: ``cancelled`` was set.
            BadTrace: it is no trace of a page in Chrome, is cut short, damaged, or too large.
            FileFailed: it can't be read.
        """
        job = Job(progress, cancelled)
        # How many there will be is not known: this is half of the work, whatever has been read of them.
        recording = record(
            Path(source) if isinstance(source, str) else source,
            lambda count: job.step(f"{count:,} events read", 0.3, always=False),
        )
        return cls(recording, find_frames(recording), source_maps or {}, job)

    def threads(self) -> list[ThreadWork]:
        """The threads of renderers that did something, those with the most work first."""
        hosts = self._frames.hosts
        known = [key for key in {*self._recording.slices, *self._samples} if key[0] in hosts]
        known.sort(key=lambda key: (-len(self._recording.slices.get(key, ())), key))
        return [ThreadWork(self._frames.threads.get(key, ""), hosts[key[0]], key, self._calls_of(key)) for key in known]

    @property
    def screenshots(self) -> list[tuple[float, str]]:
        """When each was taken, on Chrome's clock, and the JPEG in base64; some of them, when there are many."""
        return self._recording.screenshots

    def save_report(self, path: Path | str) -> int:
        """Write a page that shows the trace to a person: one file, which loads no others. Returns its bytes.

        Raises:
            FileFailed: it can't be written.
        """
        from pagelens.analysis.trace.report import save_report

        return save_report(self, Path(path))

    def _calls_of(self, thread: Thread) -> Calls:
        calls = self._calls.get(thread)
        if calls is None:
            places = {ts: frame for (*of, ts), frame in self._recording.calls.items() if tuple(of) == thread}
            calls = self._calls[thread] = Calls(
                self._recording.slices.get(thread, ()), self._samples.get(thread), places
            )
        return calls

    def _load(
        self, id_: str, navigation: Navigation | None, begin: float, end: float, maps: Mapping[str, SourceMap]
    ) -> PageLoad:
        frames = self._frames
        document = self._by_id.get(navigation.id) if navigation else None
        paints = self._paints.get(navigation.id, Paints()) if navigation else Paints()
        lcp = lcp_of(navigation, paints, document, self.requests, self._recording) if navigation else None
        interactions = longest(self.interactions, begin, end)
        # Shifts belong to the navigation that came before them, whatever the clock says of the moment itself.
        windows = [window for window in self.windows if window.navigation == (navigation.id if navigation else None)]
        pids = [navigation.pid] if navigation else sorted(frames.processes.get(frames.main, ()))
        threads = [thread for pid in pids if (thread := frames.main_thread(pid)) in self._recording.slices and thread]
        thread = max(threads, key=lambda key: len(self._recording.slices[key]), default=None)
        calls = self._calls_of(thread) if thread else None
        view = View(
            recording=self._recording,
            frames=frames,
            navigation=navigation,
            begin=begin,
            end=end,
            requests=[one for one in self.requests if one.ts <= end and begin < one.end],
            all_requests=self.requests,
            document=document,
            paints=paints,
            lcp=lcp,
            windows=windows,
            interactions=interactions,
            main_thread=thread,
            calls=calls,
            totals=calls.totals(begin, end) if calls is not None else None,
        )
        tasks = long_tasks(self._recording.slices.get(thread, ()) if thread else (), begin, end)
        fcp = paints.contentful.ts if paints.contentful else None
        first_byte = document.first_byte if document else None
        return PageLoad(
            id=id_,
            url=document.url if document else navigation.url if navigation else frames.url,
            begin=begin,
            end=end,
            fcp_ms=(fcp - begin) / 1000 if fcp is not None else None,
            lcp_ms=lcp.time / 1000 if lcp else None,
            cls=max((window.score for window in windows), default=0.0),
            inp_ms=interactions[0].dur / 1000 if interactions else None,
            ttfb_ms=(first_byte - begin) / 1000 if first_byte is not None else None,
            tbt_ms=_blocked(tasks, fcp, end) / 1000 if fcp is not None else None,
            lcp=lcp,
            document=document,
            requests=tuple(view.requests),
            windows=tuple(windows),
            interactions=tuple(interactions),
            long_tasks=tuple(tasks),
            insights=find_insights(view, maps),
            _view=view,
        )


def _blocked(tasks: list[Task], begin: float, end: float) -> float:
    """What tasks took beyond what a user does not notice, of the parts of them in a span of time."""
    return sum(max(min(task.end, end) - max(task.ts, begin) - LONG_TASK, 0.0) for task in tasks)
