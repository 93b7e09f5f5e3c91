"""Heap snapshots: our engine and chrome-devtools-mcp's, each in processes of its own, in turn on the same files.

*Warm* is what one more snapshot costs a server that has read one before; *cold* all that a new process spends, its
start included (our machine code is in its cache by then: `pagelens doctor --warm` puts it there).
"""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.engines import node_binary, said_by
from benchmarks.results import HeapCost, Results
from benchmarks.servers import CHROME_DEVTOOLS_MCP, OURS
from benchmarks.site import running_site
from pagelens.browser.heap import take_heap_snapshot
from pagelens.browser.host import BrowserHost
from pagelens.core.options import Options

__all__ = ["COLD", "WARM_LARGE", "WARM_MIDDLE", "measure_heap"]

WARM_MIDDLE, WARM_LARGE, COLD = "33 MB, warm", "more than 150 MB, warm", "33 MB, cold"
_ENGINE = Path("node_modules", "chrome-devtools-mcp", "build", "src", "processors", "HeapSnapshotManager.js")
#: Rows of the page that is taken a snapshot of, and the least bytes of that.
_SIZES = {"small": (100, 0), "middle": (30_000, 25_000_000), "large": (175_000, 150_000_000)}

#: What a shop's page keeps: orders with lines, a list that is long, nodes that nobody shows, texts twice.
_FILL = """(count) => {
  class Order { constructor(n) { this.id = n; this.customer = 'customer ' + n % 500; this.lines = []; } }
  class Line { constructor(order, n) { this.order = order; this.product = 'product ' + n; this.price = n + 0.5; } }
  const orders = new Map();
  let tail = window.head = {};
  for (let n = 0; n < count; n++) {
    const order = new Order(n);
    for (let line = 0; line < 3; line++) order.lines.push(new Line(order, line));
    orders.set('order ' + n, order);
    order.total = () => order.lines.length;
    if (n % 10 === 0) order.element = document.createElement('li');
    tail = tail.next = {n, text: 'note ' + n};
  }
  window.orders = orders;
}"""


async def measure_heap(
    results: Results, *, browser: str, cache: Path, folder: Path, no_sandbox: bool, rounds: int
) -> None:
    """Take the snapshots, then let both read them in turn."""
    files = await _take_snapshots(browser, folder, no_sandbox=no_sandbox)
    ours = [sys.executable, "-m", "benchmarks.heap_ours"]
    theirs = [node_binary(), str(Path(__file__).with_name("heap_peer.mjs")), (cache / _ENGINE).as_uri()]
    await _run(ours, [files["small"], files["small"]])  # the compiler's work is done before
    for number in range(rounds):
        for name, given in (
            (WARM_MIDDLE, [files["small"], files["middle"]]),
            (WARM_LARGE, [files["small"], files["large"]]),
            (COLD, [files["middle"]]),
        ):
            turn = [(OURS, ours), (CHROME_DEVTOOLS_MCP, theirs)]
            totals = {}
            for contender, command in turn if number % 2 == 0 else reversed(turn):
                try:
                    cost, totals[contender] = await _run(command, given)
                except (OSError, ValueError, TimeoutError) as error:
                    results.failures.append(f"heap {name}, {contender}: {error}")
                    cost = None
                results.heap.setdefault(name, {}).setdefault(contender, []).append(cost)
            if len(set(totals.values())) > 1:
                results.failures.append(f"heap {name}: the totals differ: {totals}")


async def _take_snapshots(browser: str, folder: Path, *, no_sandbox: bool) -> dict[str, Path]:
    arguments = ("--no-sandbox",) if no_sandbox else ()
    host = BrowserHost(Options(executable_path=browser, headless=True, isolated=True, chrome_args=arguments))
    files: dict[str, Path] = {}
    try:
        await host.ensure_running()
        with running_site() as site:
            for name, (rows, least) in _SIZES.items():
                page = await host.new_page()
                await page.navigate(f"{site}/tiny.html")
                await page.session.send(
                    "Runtime.evaluate", {"expression": f"({_FILL})({rows})", "awaitPromise": True}, timeout=60
                )
                files[name] = folder / f"{name}.heapsnapshot"
                with files[name].open("wb") as file:
                    size = await take_heap_snapshot(page, file)
                if size < least:
                    raise RuntimeError(f"the {name} snapshot has {size:,} bytes only")
                await host.new_page()
                await page.close()
    finally:
        await host.close()
    return files


async def _run(command: list[str], files: list[Path]) -> tuple[HeapCost, int]:
    """What reading the last of the files costs, and the bytes that the heap has by its account."""
    said = await said_by([*command, *map(str, files)])
    return HeapCost(said["cpu"], said["memory"]), said["total"]
