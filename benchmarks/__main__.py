"""``python -m benchmarks``: measure ours and the peers in one run; judge; write docs/benchmarks.md."""

from __future__ import annotations

import argparse
import asyncio
import datetime
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import msgspec
import platformdirs

from benchmarks.client import Client
from benchmarks.contenders import BareContender, Contender, ServerContender
from benchmarks.heap import measure_heap
from benchmarks.judge import ROUNDS, SAVED, judge
from benchmarks.machine import this_machine
from benchmarks.operations import OPERATIONS, time_operations
from benchmarks.outlines import measure_outlines
from benchmarks.report import report
from benchmarks.results import Results, Sizes, joined
from benchmarks.servers import ServerSpec, install_peers, servers
from benchmarks.sessions import run_floods, run_sessions, time_starts
from benchmarks.site import running_site, saved_pages
from benchmarks.snapshots import measure_snapshots
from benchmarks.tokens import count_tokens
from benchmarks.traces import measure_traces
from benchmarks.traces_live import measure_live
from benchmarks.webmcp import measure_webmcp
from pagelens.browser.find import find_browser
from pagelens.core.options import Options
from pagelens.errors import PagelensError

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"
PHASES = ("starts", "operations", "snapshots", "sessions", "events", "outlines", "webmcp", "heap", "traces", "live")


@dataclass(frozen=True)
class Plan:
    """How often everything is measured."""

    judged_rounds: int
    other_rounds: int
    snapshots: int
    sessions: int
    floods: int
    outlines: int
    heaps: int
    traces: int
    live: int


@dataclass(frozen=True)
class Kept:
    """What the phases of earlier parts of a run have measured."""

    results: Results
    phases: set[str]


#: `quick` gives a first impression while working on something; it judges too, but writes no page.
PLANS = {"full": Plan(ROUNDS, 10, 5, 3, 3, 5, 5, 5, 3), "quick": Plan(5, 3, 2, 1, 1, 2, 1, 1, 1)}


def main() -> int:
    """Returns 0, or 1 when a ratio was missed or nothing could be measured."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("plan", nargs="?", choices=PLANS, default="full")
    parser.add_argument("--phases", default=",".join(PHASES), help="some of %(default)s; then no page is written")
    parser.add_argument("--match", default="", help="only operations whose name contains this; no page is written")
    parser.add_argument(
        "--keep", type=Path, help="a file to keep what is measured in, and to go on from: a run in parts"
    )
    chosen = parser.parse_args()
    phases = set(chosen.phases.split(","))
    if unknown := phases - set(PHASES):
        parser.error(f"no such phase: {', '.join(unknown)}")
    cache = platformdirs.user_cache_path("pagelens-benchmarks")
    try:
        browser = str(find_browser(Options()).path)
        install_peers(cache)
    except (PagelensError, OSError) as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        return 1

    # Chrome refuses its sandbox to root; then nobody gets one.
    no_sandbox = hasattr(os, "geteuid") and os.geteuid() == 0
    with tempfile.TemporaryDirectory(prefix="pagelens-bench-") as folder, running_site() as site:
        specs = servers(browser, cache, Path(folder), no_sandbox=no_sandbox)
        run = _Run(specs, PLANS[chosen.plan], site, folder, phases, chosen.match)
        results = asyncio.run(run.all(BareContender(browser, no_sandbox=no_sandbox)))
        for phase, measure, rounds in (
            ("outlines", measure_outlines, PLANS[chosen.plan].outlines),
            ("webmcp", measure_webmcp, PLANS[chosen.plan].judged_rounds),
            ("heap", measure_heap, PLANS[chosen.plan].heaps),
            ("traces", measure_traces, PLANS[chosen.plan].traces),
            ("live", measure_live, PLANS[chosen.plan].live),
        ):
            if phase in phases:
                print(phase, flush=True)
                asyncio.run(
                    measure(
                        results,
                        browser=browser,
                        cache=cache,
                        folder=Path(folder),
                        no_sandbox=no_sandbox,
                        rounds=rounds,
                    )
                )

    if chosen.keep is not None:
        if chosen.keep.exists():
            kept = msgspec.json.decode(chosen.keep.read_bytes(), type=Kept)
            results, phases = joined(kept.results, results), phases | kept.phases
        chosen.keep.write_bytes(msgspec.json.encode(Kept(results, phases)))
    is_whole = phases == set(PHASES) and not chosen.match
    verdicts = judge(results)
    if not saved_pages():
        print("benchmarks: no reference data (PAGELENS_TEST_DATA), so no saved pages were read", file=sys.stderr)
        verdicts = [verdict for verdict in verdicts if SAVED not in verdict.target.name]
    if not is_whole:  # what was not asked for is not missed
        verdicts = [verdict for verdict in verdicts if verdict.ratio is not None]
    text = report(results, verdicts, this_machine(browser), date=datetime.date.today().isoformat())
    print("\n" + text)
    if chosen.plan == "full" and is_whole:
        PAGE.write_text(text, encoding="utf-8")
        print("written to docs/benchmarks.md")
    missed = [verdict for verdict in verdicts if not verdict.is_met]
    for verdict in missed:
        print(f"missed: {verdict.target.name}: wanted {verdict.wanted}, measured {verdict.measured}", file=sys.stderr)
    return 1 if missed else 0


class _Run:
    """One run over all phases."""

    def __init__(
        self, specs: list[ServerSpec], plan: Plan, site: str, folder: str, phases: set[str], match: str
    ) -> None:
        self.specs = specs
        self.plan = plan
        self.site = site
        self.folder = folder
        self.phases = phases
        self.match = match
        self.results = Results()

    async def all(self, bare: BareContender) -> Results:
        """The phases in their order."""
        self.results.loads.append(os.getloadavg()[0])
        if "starts" in self.phases:
            self._say("starts")
            await time_starts(self.specs, self._client, self.site, self.results, rounds=self.plan.judged_rounds)
        if "operations" in self.phases:
            self._say("operations")
            await self._operations(bare)
        if "snapshots" in self.phases:
            self._say("snapshots")
            await measure_snapshots(self.specs, self._contender, self.site, self.results, rounds=self.plan.snapshots)
        if "sessions" in self.phases:
            self._say("sessions")
            await run_sessions(self.specs, self._contender, self.site, self.results, sessions=self.plan.sessions)
        if "events" in self.phases:
            self._say("events")
            await run_floods(self.specs, self._contender, self.site, self.results, rounds=self.plan.floods)
        return self.results

    async def _operations(self, bare: BareContender) -> None:
        contenders: list[Contender] = []
        try:
            for spec in self.specs:
                contender = self._contender(spec)
                contenders.append(contender)
                await contender.start()
                tools = msgspec.json.encode(contender.tools).decode()
                self.results.sizes[spec.name] = Sizes(len(contender.tools), count_tokens(tools))
            contenders.append(bare)
            await bare.start()
            await time_operations(
                contenders,
                self.site,
                self.results,
                judged_rounds=self.plan.judged_rounds,
                other_rounds=self.plan.other_rounds,
                operations=[operation for operation in OPERATIONS if self.match in operation.name],
            )
        finally:
            for started in contenders:
                await started.close()

    def _client(self, spec: ServerSpec) -> Client:
        return Client(spec.name, spec.command, self.folder)

    def _contender(self, spec: ServerSpec) -> ServerContender:
        return ServerContender(spec, self.folder)

    def _say(self, phase: str) -> None:
        self.results.loads.append(os.getloadavg()[0])
        print(f"{phase} (load {os.getloadavg()[0]:.1f})", flush=True)


if __name__ == "__main__":
    sys.exit(main())
