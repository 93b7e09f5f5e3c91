"""Get a browser onto this machine: what can be run here, and what to tell the user elsewhere."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = ["InstallPlan", "os_release", "plan_install", "ubuntu_commands"]


@dataclass(frozen=True, slots=True)
class InstallPlan:
    """How to install a browser on one system.

    Attributes:
        commands: what may be run at once, in order, each as an argument list; empty when only the user can do it.
        advice: what the user can run instead, one command a line.
        why: why nothing is run, when nothing is.
    """

    commands: tuple[tuple[str, ...], ...] = ()
    advice: tuple[str, ...] = ()
    why: str = ""


def os_release(path: Path = Path("/etc/os-release")) -> dict[str, str]:
    """The fields of the ``os-release`` file (freedesktop.org), unquoted; empty where there is none."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except OSError:
        return {}
    pairs = (line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))
    return {key: value.strip().strip("\"'") for key, value in pairs}


def ubuntu_commands(machine: str | None = None) -> tuple[str, ...]:
    """The ways to a working browser on Ubuntu, whose apt package of Chromium only stands for the snap."""
    snap = "sudo snap install chromium"
    if (machine or platform.machine()) not in ("x86_64", "AMD64"):
        return (snap,)  # Google has no package for other machines
    package = "google-chrome-stable_current_amd64.deb"
    return (
        f"wget https://dl.google.com/linux/direct/{package} && sudo apt-get install -y ./{package}",
        f"{snap}    (needs a running snapd: not in most containers)",
    )


def plan_install(
    system: str = sys.platform, release: Mapping[str, str] | None = None, root: bool | None = None
) -> InstallPlan:
    """How to install a browser on `system` (as ``sys.platform``) with these ``os-release`` fields."""
    if system == "darwin":
        return InstallPlan(advice=("brew install --cask google-chrome",), why="On macOS this is left to you.")
    if system == "win32":
        return InstallPlan(advice=("winget install Google.Chrome",), why="On Windows this is left to you.")
    release = os_release() if release is None else release
    names = {release.get("ID", ""), *release.get("ID_LIKE", "").split()}
    if "ubuntu" in names:
        return InstallPlan(
            advice=ubuntu_commands(), why="On Ubuntu apt's chromium is a placeholder for the snap and starts nothing."
        )
    if "debian" in names:
        return _apt(os.geteuid() == 0 if root is None else root)
    for name, command in (
        ("fedora", "sudo dnf install -y chromium"),
        ("rhel", "sudo dnf install -y chromium"),
        ("arch", "sudo pacman -S --noconfirm chromium"),
        ("suse", "sudo zypper install -y chromium"),
        ("opensuse", "sudo zypper install -y chromium"),
        ("alpine", "sudo apk add chromium"),
    ):
        if name in names:
            return InstallPlan(advice=(command,), why="Only Debian's apt is run from here.")
    return InstallPlan(
        advice=("install Chrome or Chromium with this system's package manager",),
        why=f"This system ({release.get('PRETTY_NAME', system)}) is not known here.",
    )


def _apt(root: bool) -> InstallPlan:
    prefix: tuple[str, ...] = ()
    if not root:
        if shutil.which("sudo") is None:
            return InstallPlan(
                advice=("apt-get update && apt-get install -y chromium chromium-sandbox    (as root)",),
                why="Installing needs root, and there is no sudo.",
            )
        prefix = ("sudo",)
    # chromium-sandbox is for systems that let no ordinary process make a sandbox; root has none anyway.
    apt = (*prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get")
    return InstallPlan(
        commands=((*apt, "update"), (*apt, "install", "-y", "--no-install-recommends", "chromium", "chromium-sandbox")),
        advice=("sudo apt-get update && sudo apt-get install -y chromium chromium-sandbox",),
    )
