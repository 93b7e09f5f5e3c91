"""The 19 insights of DevTools' Performance panel: what is wrong with a load, in figures.

Names, thresholds and figures are DevTools'. Where it simulates a load to say how much a change would save, these give a
simple estimate and say so (`Insight.basis`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pagelens.analysis.source_maps import SourceMap
from pagelens.analysis.trace.insights.base import Insight, State, View
from pagelens.analysis.trace.insights.blocking import network_dependency_tree, render_blocking
from pagelens.analysis.trace.insights.culprits import cls_culprits
from pagelens.analysis.trace.insights.delivery import cache, font_display, image_delivery, modern_http
from pagelens.analysis.trace.insights.document import character_set, document_latency, viewport
from pagelens.analysis.trace.insights.lcp import inp_breakdown, lcp_breakdown, lcp_discovery
from pagelens.analysis.trace.insights.ranking import ranked
from pagelens.analysis.trace.insights.scripts import duplicated_javascript, legacy_javascript, third_parties
from pagelens.analysis.trace.insights.work import dom_size, forced_reflow, slow_css_selector

__all__ = ["Insight", "State", "View", "find_insights"]

_BEFORE: tuple[Callable[[View], Insight], ...] = (
    inp_breakdown,
    lcp_breakdown,
    lcp_discovery,
    cls_culprits,
    render_blocking,
    network_dependency_tree,
    image_delivery,
    document_latency,
    font_display,
    viewport,
    dom_size,
    third_parties,
)
_AFTER: tuple[Callable[[View], Insight], ...] = (
    slow_css_selector,
    forced_reflow,
    cache,
    character_set,
    modern_http,
    legacy_javascript,
)


def find_insights(view: View, maps: Mapping[str, SourceMap]) -> dict[str, Insight]:
    """All insights of a span: those first that gain most, the others in DevTools' order."""
    found = [
        *(look(view) for look in _BEFORE),
        duplicated_javascript(view, maps),
        *(look(view) for look in _AFTER),
    ]
    return {insight.name: insight for insight in ranked(view, found)}
