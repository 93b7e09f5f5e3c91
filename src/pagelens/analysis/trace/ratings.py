"""How Chrome rates metrics."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["RATINGS", "rating"]

#: The values up to which a metric is good, and beyond which it is poor; milliseconds, but for CLS.
RATINGS: Mapping[str, tuple[float, float]] = {
    "fcp_ms": (1_800, 3_000),
    "lcp_ms": (2_500, 4_000),
    "cls": (0.1, 0.25),
    "inp_ms": (200, 500),
    "ttfb_ms": (800, 1_800),
    "tbt_ms": (200, 600),
}


def rating(metric: str, value: float) -> str:
    """``good``, ``needs improvement`` or ``poor``; `metric` is one of `RATINGS`."""
    good, poor = RATINGS[metric]
    return "good" if value <= good else "poor" if value > poor else "needs improvement"
