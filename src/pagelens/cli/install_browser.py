"""``pagelens install-browser``."""

from __future__ import annotations

import subprocess
import sys

from pagelens.browser.find import find_browser
from pagelens.browser.install import plan_install
from pagelens.core.options import Options
from pagelens.errors import BrowserNotFound

__all__ = ["install_browser"]


def install_browser(options: Options, *, dry_run: bool = False) -> int:
    """Install a browser where that is one package away, else print what to run; returns the exit code.

    A browser that is there already is enough. With `dry_run` nothing is run.
    """
    try:
        print(f"There is a browser already: {find_browser(options).path}")
        return 0
    except BrowserNotFound:
        plan = plan_install()
    if not plan.commands:
        print(f"{plan.why} Run:" if len(plan.advice) == 1 else f"{plan.why} Run one of these:")
        for line in plan.advice:
            print("  " + line)
        return 1
    for command in plan.commands:
        print("+ " + " ".join(command), flush=True)
        if not dry_run and (exit_code := subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode):
            print(f"That ended with exit code {exit_code}. By hand: {plan.advice[0]}", file=sys.stderr)
            return 1
    if not dry_run:
        print(f"Installed: {find_browser(options).path}")
    return 0
