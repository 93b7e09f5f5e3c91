"""What to look at first: insights in the order of what mending them gains, by Lighthouse's scores of the metrics.

A score is 1 at best, 0.9 at the value that a tenth of all pages reach, 0.5 at the median: the complementary percentile
of a log-normal distribution through both (https://developer.chrome.com/docs/lighthouse/performance/performance-scoring).
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from pagelens.analysis.trace.insights.base import Insight, View

__all__ = ["ranked", "score"]

#: Of each metric, the value that a tenth of all pages reach, and the median. Milliseconds, and the score of shifts.
CURVES = {"LCP": (2_500, 4_000), "INP": (200, 500), "CLS": (0.1, 0.25)}
#: What a page without interactions is taken to have.
_USUAL_INP = 200
#: An estimate of fewer milliseconds is within its own error.
_WORTH_IT = 50
#: The argument at which the complementary error function is a fifth.
_TENTH = 0.9061938024368232


def score(metric: str, value: float) -> float:
    """A metric's score, 0 to 1."""
    best, median = CURVES[metric]
    if value <= 0:
        return 1.0
    percentile = math.erfc(math.log(value / median) * _TENTH / -math.log(best / median)) / 2
    # Rounding must not carry a value over the borders of good and poor.
    if value <= best:
        return min(max(percentile, 0.9), 1.0)
    return min(max(percentile, 0.5), 0.9) if value <= median else min(max(percentile, 0.0), 0.5)


def ranked(view: View, insights: Iterable[Insight]) -> list[Insight]:
    """The insights, those first whose savings raise the scores of the metrics most; else in the order they have."""
    observed = {
        "LCP": view.lcp.time / 1000 if view.lcp is not None else 0.0,
        "INP": view.interactions[0].dur / 1000 if view.interactions else _USUAL_INP,
        "CLS": max((window.score for window in view.windows), default=0.0),
    }

    def gain(insight: Insight) -> float:
        return sum(
            score(metric, max(value - saved, 0.0)) - score(metric, value)
            for metric, value in observed.items()
            if (saved := insight.savings.get(metric, 0)) >= (_WORTH_IT if insight.basis == "estimate" else 0)
        )

    return sorted(insights, key=lambda insight: -gain(insight))
