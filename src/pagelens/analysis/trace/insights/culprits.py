"""Why the page jumped: fonts, frames, animations and images without a size."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from pagelens.analysis.trace.insights.base import Insight, View
from pagelens.analysis.trace.recording import Event

__all__ = ["cls_culprits"]

#: From this score on, the page jumps too much.
POOR_CLS = 0.1
#: What ended so long before a paint may have caused its shifts. Microseconds.
WINDOW = 500_000
_MOST_CULPRITS = 3


def cls_culprits(view: View) -> Insight:
    windows = view.windows
    if not windows:
        return Insight("CLSCulprits", "pass", {"shifts": 0})
    worst = max(windows, key=lambda window: window.score)
    causes = _causes(view)
    rows = []
    culprits: list[dict[str, object]] = []
    for shift in sorted(worst.shifts, key=lambda event: -event.args.data.weighted_score_delta):
        of_one = causes.get(id(shift), [])
        rows.append(
            {
                "atMs": (shift.ts - view.begin) / 1000,
                "score": shift.args.data.weighted_score_delta,
                "elements": [node.debug_name for node in shift.args.data.impacted_nodes],
                "causes": of_one,
            }
        )
        culprits.extend(cause for cause in of_one if cause not in culprits)
    every = [cause for window in windows for shift in window.shifts for cause in causes.get(id(shift), [])]
    figures = {
        "worstScore": worst.score,
        "atMs": (worst.ts - view.begin) / 1000,
        "shifts": sum(len(window.shifts) for window in windows),
        "culprits": culprits[:_MOST_CULPRITS],
        "worst": rows,
        "causes": {
            kind: sum(cause["kind"] == kind for cause in every)
            for kind in ("font", "iframe", "animation", "unsizedImage")
        },
    }
    return Insight("CLSCulprits", "informative" if worst.score < POOR_CLS else "fail", figures)


def _causes(view: View) -> dict[int, list[dict[str, object]]]:
    """What caused each shift, by the identity of its event."""
    paints = view.of("PrePaint")
    begins = [paint.ts for paint in paints]
    shifts_of: dict[float, list[Event]] = {}
    found: dict[int, list[dict[str, object]]] = {}
    for window in view.windows:
        for shift in window.shifts:
            for around in _around(paints, begins, shift.ts):
                shifts_of.setdefault(around.ts, []).append(shift)

    def next_paint(end: float) -> Event | None:
        at = bisect_right(begins, end)
        return paints[at] if at < len(paints) else None

    def caused(paint: Event | None, cause: dict[str, object]) -> None:
        for shift in shifts_of.get(paint.ts, ()) if paint is not None else ():
            found.setdefault(id(shift), []).append(cause)

    for request in view.requests:
        if request.type == "Font" and request.mime.startswith("font"):
            paint = next_paint(request.end)
            if paint is not None and paint.ts - WINDOW <= request.end < paint.ts:
                caused(paint, {"kind": "font", "url": request.url})
    loading = view.recording.of("domLoading")
    for event in view.of("RenderFrameImpl::createChildFrame"):
        frame = next((one.args.frame for one in loading if event.ts <= one.ts <= event.end and one.args.frame), "")
        if frame:
            caused(next_paint(event.end), {"kind": "iframe", "frame": frame})
    for name, end, properties in _animations(view):
        paint = next_paint(end)
        if paint is not None and paint.ts - WINDOW <= end < paint.ts:
            caused(paint, {"kind": "animation", "name": name, "properties": properties})
    unsized = {event.args.data.nodeId for event in view.of("LayoutImageUnsized")}
    images = view.of("PaintImage")
    image_begins = [image.ts for image in images]
    for done in paints:
        at = bisect_right(image_begins, done.end)
        if done.ts in shifts_of and at < len(images) and images[at].args.data.nodeId in unsized:
            image = images[at].args.data
            caused(done, {"kind": "unsizedImage", "url": image.url, "node": image.nodeName, "nodeId": image.nodeId})
    return found


def _around(paints: Sequence[Event], begins: Sequence[float], ts: float) -> list[Event]:
    # Those of frames in other processes may overlap; a paint is short, so that a few steps back are enough.
    at = bisect_right(begins, ts)
    return [paint for paint in paints[max(at - 20, 0) : at] if paint.ts <= ts <= paint.end]


def _animations(view: View) -> list[tuple[str, float, list[str]]]:
    """Animations that the compositor could not run: name, end, the properties at fault."""
    begun: dict[tuple[int, str], Event] = {}
    failed: dict[tuple[int, str], list[str]] = {}
    found = []
    for event in view.recording.of("Animation"):
        key = (event.pid, event.id)
        data = event.args.data
        if event.ph == "b":
            begun[key] = event
            failed.pop(key, None)
        elif event.ph == "n" and data is not None and data.compositeFailed:
            failed.setdefault(key, []).extend(data.unsupportedProperties)
        elif event.ph == "e" and key in begun and key in failed:
            start = begun.pop(key)
            name = start.args.data.displayName or start.args.data.name if start.args.data else ""
            if view.spans(start.ts, event.ts - start.ts):
                found.append((name, event.ts, sorted(set(failed.pop(key)))))
    return found
