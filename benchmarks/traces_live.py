"""Performance traces, live: ours beside chrome-devtools-mcp on twelve pages that are slow in a way of their own.

Both load each page and then record it anew with a warm cache, which is what the peer does unless told otherwise; the
same once more with a cold one is ours by default. The metrics are read from what an agent reads. A metric is the same
when the medians are no further apart than the rounds of either are, or usually are on all pages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.client import FAILURES, Client, text_of
from benchmarks.results import LiveTrace, Results, median
from benchmarks.servers import CHROME_DEVTOOLS_MCP, OURS, SWITCHES, ServerSpec, servers
from benchmarks.slow_site import SLOW_PAGES, running_slow_site
from benchmarks.tokens import count_tokens

__all__ = ["COLD", "compare", "measure_live", "read_trace"]

#: The name of ours with a cold cache.
COLD = f"{OURS}, cold"
_RULES = "--host-resolver-rules=MAP *.test 127.0.0.1 , MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"
#: Two frames, and what a shift's score is rounded to: less is no difference.
_LEAST = {"lcp": 34.0, "cls": 0.011}

_INSIGHTS = (
    "LCPBreakdown",
    "LCPDiscovery",
    "INPBreakdown",
    "CLSCulprits",
    "RenderBlocking",
    "NetworkDependencyTree",
    "ImageDelivery",
    "DocumentLatency",
    "FontDisplay",
    "Viewport",
    "DOMSize",
    "ThirdParties",
    "DuplicatedJavaScript",
    "SlowCSSSelector",
    "ForcedReflow",
    "Cache",
    "CharacterSet",
    "ModernHTTP",
    "LegacyJavaScript",
)


async def measure_live(
    results: Results, *, browser: str, cache: Path, folder: Path, no_sandbox: bool, rounds: int
) -> None:
    """Record all pages with both, in turn, `rounds` times."""
    specs = [
        replace(spec, command=tuple(_with_rules(part) for part in spec.command))
        for spec in servers(browser, cache, folder, no_sandbox=no_sandbox)
        if spec.name in (OURS, CHROME_DEVTOOLS_MCP)
    ]
    with running_slow_site() as site:
        clients = {spec.name: Client(spec.name, spec.command, str(folder)) for spec in specs}
        try:
            for client in clients.values():
                await client.start()
            for number in range(rounds):
                for name, path in SLOW_PAGES.items():
                    for spec in specs if number % 2 == 0 else reversed(specs):
                        await _record(results, spec, clients[spec.name], name, site + path)
        finally:
            for client in clients.values():
                await client.close()
    results.failures += compare(results)


async def _record(results: Results, spec: ServerSpec, client: Client, name: str, url: str) -> None:
    page = {} if spec.name == OURS else {"pageId": 1}
    ways = [(spec.name, False)] + ([(COLD, True)] if spec.name == OURS else [])
    for who, is_cold in ways:
        try:
            await client.call("navigate_page", {**page, "type": "url", "url": url})
            result = await client.call(
                "performance_start_trace", {**page, "reload": True, "autoStop": True, "ignoreCache": is_cold}
            )
        except FAILURES as error:
            results.failures.append(f"trace of {name}, {who}: {error}")
            continue
        results.live.setdefault(name, {}).setdefault(who, []).append(read_trace(text_of(result), client.last_seconds))


def read_trace(text: str, seconds: float) -> LiveTrace:
    """What an agent reads in a reply of either."""

    def number(pattern: str) -> float | None:
        found = re.search(pattern, text, re.MULTILINE)
        return float(found[1].replace(",", "")) if found else None

    return LiveTrace(
        lcp=number(r"^\s*-?\s*LCP:? ([\d.,]+) ms"),
        cls=number(r"\bCLS:? ([\d.]*\d)"),
        # "insight name: X" of the one; in both a name is a word.
        findings=frozenset(name for name in _INSIGHTS if re.search(rf"\b{name}\b", text)),
        tokens=count_tokens(text),
        seconds=seconds,
    )


def compare(results: Results) -> list[str]:
    """What is not as it must be: metrics that differ, findings that are missing; in words."""
    wrong = []
    noise = {metric: _noise(results, metric) for metric in ("lcp", "cls")}
    for name, by_name in results.live.items():
        ours, theirs = by_name.get(OURS, []), by_name.get(CHROME_DEVTOOLS_MCP, [])
        if not ours or not theirs:
            continue
        # A redirect is measured by one of them only: theirs begins at its end.
        if name != "redirects" and not _is_same([one.lcp for one in ours], [one.lcp for one in theirs], noise["lcp"]):
            wrong.append(f"LCP of {name}: {_shown(ours, 'lcp')} and {_shown(theirs, 'lcp')}")
        if not _is_same([one.cls for one in ours], [one.cls for one in theirs], noise["cls"]):
            wrong.append(f"CLS of {name}: {_shown(ours, 'cls')} and {_shown(theirs, 'cls')}")
        always = frozenset.intersection(*(one.findings for one in theirs))
        missing = always - frozenset.union(*(one.findings for one in ours))
        if missing:
            wrong.append(f"findings on {name} that ours lacks: {', '.join(sorted(missing))}")
    return wrong


def _noise(results: Results, metric: str) -> float:
    """Twice what the rounds of one server on one page usually differ by, and no less than can be told apart."""
    spreads = [
        _spread([getattr(one, metric) for one in by_name.get(who, [])])
        for by_name in results.live.values()
        for who in (OURS, CHROME_DEVTOOLS_MCP)
    ]
    return max(2 * (median(spreads) or 0.0), _LEAST[metric])


def _is_same(ours: Sequence[float | None], theirs: Sequence[float | None], least: float) -> bool:
    mine, other = median(ours), median(theirs)
    if mine is None or other is None:
        return mine is other
    spread = max(_spread(ours), _spread(theirs), least)
    return abs(mine - other) <= spread


def _spread(values: Sequence[float | None]) -> float:
    there = [value for value in values if value is not None]
    return max(there) - min(there) if there else 0.0


def _shown(traces: Sequence[LiveTrace], attribute: str) -> str:
    return ", ".join(f"{value:g}" if (value := getattr(one, attribute)) is not None else "none" for one in traces)


def _with_rules(part: str) -> str:
    """A switch of the command, with the names of third parties leading here."""
    rules = next(switch for switch in SWITCHES if switch.startswith("--host-resolver-rules"))
    return part.replace(rules, _RULES)
