"""npm packages for tests: fetched with the machine's npm when first wanted, kept in pytest's cache, never installed."""

from __future__ import annotations

import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path

__all__ = ["NpmMissing", "fetch"]

#: Seconds for all packages that are missing.
LIMIT = 120


class NpmMissing(Exception):
    """The packages can't be had here; says why."""


def fetch(folder: Path, packages: Sequence[str]) -> None:
    """Unpack `packages` (``name@version``) into `folder`, each under its name, unless they are there already.

    Nothing of theirs is run: only their files are served to pages.

    Raises:
        NpmMissing: there is no npm, or it can't fetch them.
    """
    missing = [package for package in packages if not (folder / _name(package) / f".{_version(package)}").exists()]
    if not missing:
        return
    npm = shutil.which("npm")
    if npm is None:
        raise NpmMissing("npm is not installed")
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        command = [npm, "pack", "--silent", "--ignore-scripts", "--pack-destination", scratch, *missing]
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=LIMIT, cwd=scratch)
        except (OSError, subprocess.SubprocessError) as error:
            raise NpmMissing(f"npm could not fetch them: {type(error).__name__}") from error
        for package in missing:
            name, version = _name(package), _version(package)
            unpacked = Path(scratch) / "unpacked" / name
            with tarfile.open(Path(scratch) / f"{name.removeprefix('@').replace('/', '-')}-{version}.tgz") as archive:
                archive.extractall(unpacked, filter="data")
            # The folder in the archive is usually called "package".
            (inner,) = unpacked.iterdir()
            (inner / f".{version}").touch()
            target = folder / name
            target.parent.mkdir(exist_ok=True)
            if target.exists():
                shutil.rmtree(target)
            inner.rename(target)


def _name(package: str) -> str:
    return package.rpartition("@")[0]


def _version(package: str) -> str:
    return package.rpartition("@")[2]
