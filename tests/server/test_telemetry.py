"""What leaves by OpenTelemetry: nothing by itself; names, sizes and codes when someone listens."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]

SILENT = """
import sys
opened = []
sys.addaudithook(lambda event, args: opened.append((event, str(args))) if event.startswith("socket.") else None)
from tests.server.telemetry_probe import talk
talk()
from opentelemetry import metrics, trace
print([e for e in opened if e[0] in ("socket.connect", "socket.sendto", "socket.getaddrinfo")])
print(type(trace.get_tracer_provider()).__name__, type(metrics.get_meter_provider()).__name__)
"""


async def _run(code: str) -> str:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, cwd=ROOT, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, err = await asyncio.wait_for(process.communicate(), 60)
    assert process.returncode == 0, err.decode()
    return out.decode()


async def test_silent_by_default() -> None:
    assert (await _run(SILENT)).splitlines() == ["[]", "ProxyTracerProvider _ProxyMeterProvider"]


async def test_a_listener_hears_names_sizes_and_codes_but_no_parameters() -> None:
    out = await _run("from tests.server.telemetry_probe import listen; listen()")
    heard: list[dict[str, Any]] = json.loads(out)
    assert "secret" not in out
    durations = [entry for entry in heard if entry["name"] == "pagelens.tool.duration"]
    assert [entry["attributes"] for entry in durations] == [
        {"pagelens.tool": "echo"},
        {"pagelens.tool": "refuse", "error.type": "element_gone"},
        {"pagelens.tool": "break", "error.type": "internal_error"},
    ]
    sizes = [entry["value"] for entry in heard if entry["name"] == "pagelens.tool.reply.size"]
    assert sizes[0] == len("secret https://secret.example/?q=1")
    assert any(entry["name"] == "tools/call echo" for entry in heard)  # the SDK's span
