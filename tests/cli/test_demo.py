"""The demo does the main job, and its transcript shows it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

RUN = Path(__file__).parents[2] / "examples" / "demo" / "run.py"


def test_the_demo_runs_to_its_end() -> None:
    done = subprocess.run(
        [sys.executable, str(RUN)], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=150, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for words in (
        'button "Join"',
        "/welcome.html",
        "Welcome, Ada Lovelace!",
        "branches loaded",
        "POST ",
        "The reading room closes at six.",
        "Seat B2 is yours.",
        "booking frame ready on localhost",
    ):
        assert words in done.stdout
    picture = re.search(r'filePath="([^"]+)"', done.stdout)
    assert picture is not None
    assert Path(picture[1]).read_bytes().startswith(b"\x89PNG")
    last = json.loads(done.stdout.splitlines()[-1])
    assert Path(last["mcpServers"]["pagelens"]["command"]).name == "pagelens"
