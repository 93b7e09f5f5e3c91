"""Reference data that lie beside the checkout, not in it: saved pages, heap snapshots, traces, schemas.

They are looked for in ``PAGELENS_TEST_DATA``, then in ``../shared`` next to the checkout. A test that needs them is
marked ``data``: without them it is skipped (and counted in the summary), or fails under ``--require-data``.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest

__all__ = ["MISSING", "data_dir", "data_file", "needs_data", "saved_pages"]

#: Mark for tests that read reference data.
needs_data = pytest.mark.data

MISSING = "no reference data: set PAGELENS_TEST_DATA, or put them into ../shared beside the checkout"


@cache
def data_dir() -> Path | None:
    """The directory of the reference data, None when there is none."""
    configured = os.environ.get("PAGELENS_TEST_DATA")
    candidate = Path(configured) if configured else Path(__file__).resolve().parents[2].parent / "shared"
    return candidate if (candidate / "pages" / "saved").is_dir() or (candidate / "data").is_dir() else None


def data_file(*parts: str) -> Path:
    """A file or folder of the reference data; only for tests marked ``data``."""
    directory = data_dir()
    if directory is None:
        pytest.fail(f"data_file() in a test that is not marked `data`: {MISSING}")
    path = directory.joinpath(*parts)
    if not path.exists():
        pytest.fail(f"the reference data lack {'/'.join(parts)} ({path})")
    return path


def saved_pages() -> list[str]:
    """The file names of the saved pages, sorted; one stand-in name when there are no data, for a visible skip."""
    directory = data_dir()
    found = sorted(path.name for path in (directory / "pages" / "saved").glob("*.html")) if directory else []
    return found or ["(no saved pages)"]
