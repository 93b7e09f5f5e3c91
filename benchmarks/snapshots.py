"""Snapshots whole: what a page costs in time and tokens, in every server, on the same pages in turn.

Ours may send as much as it likes here, as the peers do: by default the rest of a long snapshot follows on request.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Sequence

from benchmarks.client import FAILURES
from benchmarks.contenders import ServerContender
from benchmarks.results import Results, SnapshotCost, median
from benchmarks.servers import OURS, ServerSpec
from benchmarks.site import saved_pages
from benchmarks.tokens import count_tokens

__all__ = ["GENERATED", "measure_snapshots"]

#: Pages of our own, by what they are called.
GENERATED = {"shop": "shop page", "table": "long table"}
#: How often each of these is read, for one round of a saved page.
_MORE_ROUNDS = 3


async def measure_snapshots(
    specs: Sequence[ServerSpec],
    make: Callable[[ServerSpec], ServerContender],
    site: str,
    results: Results,
    *,
    rounds: int,
) -> None:
    """Take snapshots of the generated pages and of the saved ones; the first warms up; its tokens are counted."""
    everybody = [make(_unlimited(spec)) for spec in specs]
    try:
        for who in everybody:
            await who.start()
        for page in (*GENERATED, *saved_pages()):
            started = time.monotonic()
            costs = results.snapshots[page] = {}
            for who in everybody:
                try:
                    await who.do("navigate", url=f"{site}/{page}.html")
                    await who.do("snapshot")
                except FAILURES as error:
                    results.failures.append(f"snapshot of {page}: {who.name}: {str(error)[:300]}")
                    continue
                costs[who.name] = SnapshotCost(count_tokens(who.last_text))
            for number in range(rounds * (_MORE_ROUNDS if page in GENERATED else 1)):
                for who in everybody if number % 2 else everybody[::-1]:
                    if who.name in costs:
                        costs[who.name].times.append(await _once(who, page, results))
            said = (f"{name} {(median(cost.times) or 0) * 1000:.0f} ms {cost.tokens:,}" for name, cost in costs.items())
            print(f"  {page:40s} {time.monotonic() - started:.0f} s: {', '.join(said)}", flush=True)
    finally:
        for who in everybody:
            await who.close()


async def _once(who: ServerContender, page: str, results: Results) -> float | None:
    try:
        return await who.do("snapshot")
    except FAILURES as error:
        results.failures.append(f"snapshot of {page}: {who.name}: {str(error)[:300]}")
        return None


def _unlimited(spec: ServerSpec) -> ServerSpec:
    if spec.name != OURS:
        return spec
    return dataclasses.replace(spec, command=(*spec.command, "--max-reply-chars=100000000"))
