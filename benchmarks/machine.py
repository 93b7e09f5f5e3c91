"""On what the numbers were measured."""

from __future__ import annotations

import os
import platform
import subprocess
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Machine", "this_machine"]


@dataclass(frozen=True)
class Machine:
    """In words, fit to be published: no host name, no paths."""

    cpus: int
    processor: str
    system: str
    python: str
    node: str
    browser: str


def this_machine(browser: str) -> Machine:
    """This one, with the versions of what takes part."""
    return Machine(
        cpus=os.cpu_count() or 1,
        processor=_processor(),
        system=f"{platform.system()} {platform.release().split('-')[0]} {platform.machine()}",
        python=platform.python_version(),
        node=_version("node"),
        browser=_version(browser),
    )


def _version(command: str) -> str:
    said = subprocess.run([command, "--version"], capture_output=True, text=True, check=False).stdout.split()
    return next((word.lstrip("v") for word in said if word.lstrip("v")[:1].isdigit()), "unknown version")


def _processor() -> str:
    file = Path("/proc/cpuinfo")
    if file.exists():
        for line in file.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown processor"
