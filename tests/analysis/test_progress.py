"""What an analysis says of itself."""

from __future__ import annotations

import subprocess
import sys

from pagelens.analysis.progress import peak_memory

_SAY = "from pagelens.analysis.progress import peak_memory; print(peak_memory())"


def test_memory_is_of_this_program_not_of_the_one_that_started_it() -> None:
    held = bytearray(b"x" * 300_000_000)
    assert peak_memory() > len(held)
    said = subprocess.run([sys.executable, "-c", _SAY], capture_output=True, text=True, check=True, timeout=60)
    assert 0 < int(said.stdout) < 100_000_000
