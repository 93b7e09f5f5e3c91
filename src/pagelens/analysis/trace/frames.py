"""Whose trace it is: the main frame, its navigations, the processes of frames, the names of threads."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

from pagelens.analysis.trace.recording import Event, Recording, Thread
from pagelens.errors import BadTrace

__all__ = ["Frames", "Navigation", "find_frames"]


@dataclass(frozen=True, slots=True)
class Navigation:
    """A navigation of a frame."""

    id: str
    frame: str
    ts: float
    pid: int
    tid: int
    url: str


@dataclass(slots=True)
class Frames:
    """Frames, processes and threads.

    Attributes:
        main: the id of the page's main frame.
        url: its address when the recording began.
        begin, end: the trace's time, in microseconds.
        processes: of each frame, the processes that hosted it.
        hosts: by process, the address that was in it last.
        threads: the threads' names.
        navigations: of the main frame, the earliest first.
    """

    main: str
    url: str
    begin: float
    end: float
    processes: dict[str, set[int]] = field(default_factory=dict)
    hosts: dict[int, str] = field(default_factory=dict)
    threads: dict[Thread, str] = field(default_factory=dict)
    by_id: dict[str, Navigation] = field(default_factory=dict)
    of_frame: dict[str, list[Navigation]] = field(default_factory=dict)

    @property
    def navigations(self) -> list[Navigation]:
        return self.of_frame.get(self.main, [])

    def navigation_at(self, ts: float, frame: str | None = None) -> Navigation | None:
        """The last navigation of a frame (the main one by default) that had begun at a time."""
        known = self.of_frame.get(self.main if frame is None else frame, [])
        at = bisect_right(known, ts, key=lambda navigation: navigation.ts)
        return known[at - 1] if at else None

    def main_thread(self, pid: int) -> Thread | None:
        """The main thread of a renderer."""
        return next((key for key, name in self.threads.items() if key[0] == pid and name == "CrRendererMain"), None)


def find_frames(recording: Recording) -> Frames:
    """Find them.

    Raises:
        BadTrace: the trace is of no page.
    """
    started = recording.of("TracingStartedInBrowser")
    main = next(
        (
            frame
            for event in started
            for frame in event.args.data.frames
            if frame.isInPrimaryMainFrame and frame.isOutermostMainFrame and frame.frame
        ),
        None,
    )
    if main is None:
        raise BadTrace(_no_page(recording, bool(started)))
    frames = Frames(main.frame, "", started[0].ts, max(recording.end, started[0].ts))
    for event in started:
        for frame in event.args.data.frames:
            if frame.processId is not None:
                frames.processes.setdefault(frame.frame, set()).add(frame.processId)
                frames.hosts[frame.processId] = frame.url
            if frame.isInPrimaryMainFrame and frame.isOutermostMainFrame:
                frames.main, frames.url = frame.frame, frame.url
    for event in recording.of("FrameCommittedInBrowser", "CommitLoad"):
        data = event.args.data
        if data is None:
            continue
        pid = event.pid if event.name == "CommitLoad" else data.processId
        if pid is not None:
            frames.processes.setdefault(data.frame, set()).add(pid)
            frames.hosts[pid] = data.url
    for event in recording.of("thread_name"):
        frames.threads[event.pid, event.tid] = event.args.name
    for event in recording.of("navigationStart"):
        _navigation(frames, event)
    return frames


def _navigation(frames: Frames, event: Event) -> None:
    data = event.args.data
    if not data.documentLoaderURL or not data.navigationId or data.navigationId in frames.by_id:
        return
    frame = event.args.frame
    made = Navigation(data.navigationId, frame, event.ts, event.pid, event.tid, data.documentLoaderURL)
    frames.by_id[made.id] = made
    frames.of_frame.setdefault(frame, []).append(made)


def _no_page(recording: Recording, started: bool) -> str:
    processes = {event.args.name.lower() for event in recording.of("process_name")}
    threads = {event.args.name for event in recording.of("thread_name")}
    if any(name == "node" or name.startswith("node[") for name in processes) or "JavaScriptMainThread" in threads:
        return "This trace was recorded by Node.js: there is no page in it, and no page's metrics."
    if started:
        return (
            "This trace names no frames: it was recorded for the browser as a whole, not for a page. "
            "Record it on a page, as DevTools and pagelens do."
        )
    if any("webview" in name for name in processes) or "CrRendererMain" in threads:
        return (
            "This trace does not say whose page it is (no TracingStartedInBrowser): it comes from an Android WebView, "
            "or lacks the category disabled-by-default-devtools.timeline. Record it in Chrome, on a page."
        )
    return "This is no trace of a page in Chrome: it has events, but none of a page (Perfetto's or another program's)."
