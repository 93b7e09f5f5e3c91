"""How snapshots are loaded: which way, what is said meanwhile, how it is stopped, what stays loaded."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from pagelens.analysis.heap import HeapSnapshot, SnapshotStore, Statement, jit, kernels
from pagelens.analysis.heap import snapshot as snapshot_module
from pagelens.analysis.heap import store as store_module
from pagelens.errors import AnalysisCancelled, BadSnapshot, ExtraMissing, FileFailed
from tests.analysis.heap.made import MadeHeap


def write(path: Path, objects: int = 3, size: int = 10) -> Path:
    made = MadeHeap()
    made.node("gc", "synthetic", "(GC roots)")
    made.edge("root", "gc", "element", 1)
    for number in range(objects):
        made.node(f"object {number}", name="Thing", size=size, held_by="gc")
    path.write_text(made.text())
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write(tmp_path / "a.heapsnapshot")


class Held:
    """A load that waits in its thread until it may go on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun, self.go_on, self.stopped = threading.Event(), threading.Event(), threading.Event()
        real = snapshot_module.build

        def build(parsed: object, job: snapshot_module.Job) -> object:
            self.begun.set()
            self.go_on.wait(20)
            try:
                return real(parsed, job)  # type: ignore[arg-type]
            except AnalysisCancelled:
                self.stopped.set()
                raise

        monkeypatch.setattr(snapshot_module, "build", build)

    async def until_begun(self) -> None:
        assert await asyncio.to_thread(self.begun.wait, 20)

    def again(self) -> None:
        self.begun.clear()
        self.go_on.clear()


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Held:
    return Held(monkeypatch)


# -- which way -----------------------------------------------------------------------------------------


def run(code: str, *arguments: object, without: tuple[str, ...] = ()) -> str:
    """What a fresh interpreter prints; ``without`` can't be imported there."""
    hide = f"import sys\nfor name in {without!r}: sys.modules[name] = None\n"
    done = subprocess.run(
        [sys.executable, "-c", hide + code, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


LOAD = """
import sys
from pagelens.analysis.heap import HeapSnapshot
from pagelens.analysis.heap import snapshot as module
module.SMALL_BYTES, module.PLAIN_BYTES = int(sys.argv[2]), int(sys.argv[3])
try:
    snapshot = HeapSnapshot.load(sys.argv[1])
    print(snapshot.retained_sizes[0], type(snapshot.retained_sizes).__module__, "numba" in sys.modules)
except Exception as error:
    print(type(error).__name__, error)
"""


def test_importing_it_costs_nothing() -> None:
    code = "import pagelens.analysis.heap; print({'numpy', 'numba', 'llvmlite'} & set(sys.modules))"
    assert run(code) == "set()"


def test_small_files_need_no_compiled_code(file: Path) -> None:
    assert run(LOAD, file, 100_000, 100_000) == "30 numpy False"


def test_large_files_get_it(file: Path) -> None:
    assert run(LOAD, file, 10, 100_000) == "30 numpy True"


@pytest.mark.parametrize("missing", [("numba",), ("numpy",), ("numpy", "numba")])
def test_without_the_extra_small_files_work(file: Path, missing: tuple[str, ...]) -> None:
    module = "array" if "numpy" in missing else "numpy"
    assert run(LOAD, file, 100_000, 100_000, without=missing).startswith(f"30 {module} ")
    assert run(LOAD, file, 10, 100_000, without=missing).startswith(f"30 {module} ")


@pytest.mark.parametrize("missing", [("numba",), ("llvmlite",), ("numpy", "numba")])
def test_without_the_extra_large_files_say_what_to_install(file: Path, missing: tuple[str, ...]) -> None:
    said = run(LOAD, file, 10, 20, without=missing)
    assert said.startswith("ExtraMissing ")
    assert "pip install 'pagelens[heap]'" in said


EVERYTHING = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from tests.analysis.heap.test_bad_files import everything
from pagelens.analysis.heap import HeapSnapshot
everything(HeapSnapshot.load(sys.argv[1]))
print("numpy" in sys.modules and sys.modules["numpy"] is not None)
"""


def test_everything_works_without_numpy(file: Path) -> None:
    root = Path(__file__).resolve().parents[3]
    assert run(EVERYTHING, file, root, without=("numpy", "numba")) == "False"


def test_once_loaded_compiled_code_is_used_for_all(file: Path) -> None:
    jit.compiled()
    assert HeapSnapshot.load(file).graph.numbers.compiled


def test_arrays_can_be_read_only(file: Path) -> None:
    jit.compiled()
    snapshot = HeapSnapshot.load(file)
    with pytest.raises(ValueError, match="read-only"):
        snapshot.ids[0] = 5
    assert snapshot.ids is snapshot.ids


# -- compiled code -------------------------------------------------------------------------------------


def test_each_signature_fits_its_kernel() -> None:
    assert set(jit.SIGNATURES) <= set(kernels.__all__)
    for name, (_, *taken) in jit.SIGNATURES.items():
        assert len(taken) == len(inspect.signature(getattr(kernels, name)).parameters), name


def test_machine_code_is_kept_for_the_next_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = (
        "from pathlib import Path\n"
        "from pagelens.analysis.heap import jit\n"
        "jit._places = lambda: [Path('/proc/no such place'), Path(sys.argv[1])]\n"
        "kernel = jit.compiled().mark_names\n"
        "print(sum(kernel.stats.cache_hits.values()), jit.cache_directory().parent == Path(sys.argv[1]))"
    )
    assert run(code, tmp_path) == "0 True"
    assert run(code, tmp_path) == "1 True"


def test_where_nothing_can_be_written_it_is_compiled_anew(caplog: pytest.LogCaptureFixture) -> None:
    code = (
        "from pathlib import Path\n"
        "from pagelens.analysis.heap import jit\n"
        "jit._places = lambda: [Path('/proc/no such place')]\n"
        "print(jit.cache_directory(), jit.compiled().mark_names is not None)"
    )
    assert run(code) == "None True"


# -- progress and stopping -----------------------------------------------------------------------------


def test_progress_is_told(file: Path) -> None:
    heard: list[Statement] = []
    HeapSnapshot.load(file, progress=heard.append)
    assert [one.text for one in heard if "read" not in one.text or "reading" in one.text] == [
        "reading nodes",
        "reading edges",
        "reading locations",
        "reading scopes",
        "reading scope_context_vars",
        "reading scope_uses",
        "reading strings",
        "finding what counts",
        "distances",
        "dominators",
        "loaded",
    ]
    assert [one.done for one in heard] == sorted(one.done for one in heard)
    assert heard[-1].done == 1
    assert all(one.memory > 1_000_000 for one in heard)
    assert "MB of memory" in str(heard[-1])


@pytest.mark.parametrize("at", ["reading edges", "dominators"])
def test_it_can_be_stopped_at_any_step(file: Path, at: str) -> None:
    cancelled = threading.Event()

    def hear(statement: Statement) -> None:
        assert not cancelled.is_set()
        if statement.text == at:
            cancelled.set()

    with pytest.raises(AnalysisCancelled):
        HeapSnapshot.load(file, progress=hear, cancelled=cancelled)


async def test_progress_comes_on_the_event_loop(file: Path) -> None:
    threads = set()
    snapshot = await HeapSnapshot.load_async(file, progress=lambda _: threads.add(threading.current_thread()))
    await asyncio.sleep(0)
    assert snapshot.node_count == 5
    assert threads == {threading.main_thread()}


async def test_a_cancelled_task_stops_its_thread(file: Path, held: Held) -> None:
    task = asyncio.create_task(HeapSnapshot.load_async(file))
    await held.until_begun()
    task.cancel()
    await asyncio.sleep(0.05)
    assert not task.done()  # the thread is still there, and so is its memory
    held.go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert held.stopped.is_set()


# -- the store -----------------------------------------------------------------------------------------


async def test_a_file_is_loaded_once_until_it_changes(file: Path) -> None:
    store = SnapshotStore()
    resolved = file.resolve()  # noqa: ASYNC240 (a path in the test's own directory)
    first = await store.get(file)
    assert await store.get(str(file)) is first
    write(file, objects=9)
    os.utime(file, ns=(1, 1))
    second = await store.get(file)
    assert second is not first
    assert second.node_count == 11
    assert store.paths == [resolved]


async def joined(store: SnapshotStore, callers: int) -> None:
    """Until so many wait for the load that runs: each looks for the file in a thread of its own first."""
    for _ in range(2000):
        if [loading.waiting for loading in store._loading.values()] == [callers]:
            return
        await asyncio.sleep(0.01)
    raise TimeoutError


async def test_callers_wait_for_one_load(file: Path, held: Held) -> None:
    store = SnapshotStore()
    heard: list[list[Statement]] = [[], []]
    loads = [asyncio.create_task(store.get(file, heard[number].append)) for number in range(2)]
    await held.until_begun()
    await joined(store, 2)
    held.go_on.set()
    one, other = await asyncio.gather(*loads)
    assert one is other
    # Who came later heard only what was said from then on.
    first, later = sorted(heard, key=len, reverse=True)
    assert later != []
    assert first[-len(later) :] == later


async def test_one_caller_may_leave_and_the_last_one_stops_the_load(file: Path, held: Held) -> None:
    store = SnapshotStore()
    leaves, stays = (asyncio.create_task(store.get(file)) for _ in range(2))
    await held.until_begun()
    await joined(store, 2)
    leaves.cancel()
    with pytest.raises(asyncio.CancelledError):
        await leaves
    held.go_on.set()
    assert (await stays).node_count == 5
    store.clear()
    held.again()
    last = asyncio.create_task(store.get(file))
    await held.until_begun()
    last.cancel()
    await asyncio.sleep(0.05)
    held.go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await last
    assert store.paths == []


async def test_closing(file: Path) -> None:
    store = SnapshotStore()
    await store.get(file)
    assert store.memory > 0
    assert store.close(file)
    assert not store.close(file)
    assert (store.paths, store.memory) == ([], 0)


async def test_the_longest_unused_leave_first(tmp_path: Path) -> None:
    files = [write(tmp_path / f"{number}.heapsnapshot") for number in range(3)]
    store = SnapshotStore(max_snapshots=2)
    for path in (files[0], files[1], files[0], files[2]):
        await store.get(path)
    assert [path.name for path in store.paths] == ["0.heapsnapshot", "2.heapsnapshot"]
    one = (await store.get(files[0])).memory
    store = SnapshotStore(max_memory=one * 2)
    for path in files:
        await store.get(path)
    assert len(store.paths) == 2
    store = SnapshotStore(max_memory=1)
    for path in files:
        await store.get(path)
    assert [path.name for path in store.paths] == ["2.heapsnapshot"]


async def test_when_the_system_runs_out_of_memory_all_leave(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = [write(tmp_path / f"{number}.heapsnapshot") for number in range(3)]
    store = SnapshotStore()
    for path in files[:2]:
        await store.get(path)
    monkeypatch.setattr(store_module, "_available_memory", lambda: 1000)
    await store.get(files[2])
    assert [path.name for path in store.paths] == ["2.heapsnapshot"]


async def test_what_cannot_be_loaded_is_not_kept(tmp_path: Path) -> None:
    store = SnapshotStore()
    with pytest.raises(FileFailed):
        await store.get(tmp_path / "none.heapsnapshot")
    bad = tmp_path / "bad.heapsnapshot"
    bad.write_text(json.dumps([]))
    for _ in range(2):
        with pytest.raises(BadSnapshot):
            await store.get(bad)
    assert store.paths == []


def test_the_error_that_says_what_to_install_is_one_of_ours() -> None:
    assert ExtraMissing.code == "extra_missing"
