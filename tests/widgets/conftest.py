"""The packages, served by the site."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.support.site import Site
from tests.widgets.npm import NpmMissing, fetch

#: What the tests need, by name; the versions are pinned, so that what is tested stays the same.
PACKAGES = {
    "react": ("react@18.3.1", "react-dom@18.3.1"),
    "mui": ("@mui/material@5.16.7",),
    "antd": ("antd@5.21.6", "dayjs@1.11.13"),
    "imask": ("imask@7.6.1",),
    "sortable": ("sortablejs@1.15.3",),
    "prosemirror": (
        "prosemirror-state@1.4.4",
        "prosemirror-view@1.44.0",
        "prosemirror-model@1.25.13",
        "prosemirror-transform@1.12.7",
        "prosemirror-schema-basic@1.2.5",
        "prosemirror-keymap@1.2.3",
        "prosemirror-commands@1.7.2",
        "prosemirror-history@1.5.2",
        "orderedmap@2.1.1",
        "rope-sequence@1.3.4",
        "w3c-keyname@2.2.8",
    ),
    "codemirror": (
        "@codemirror/state@6.7.6",
        "@codemirror/view@6.43.15",
        "@codemirror/commands@6.11.1",
        "@codemirror/language@6.13.1",
        "@codemirror/streamparser@6.0.0",
        "@lezer/common@1.5.5",
        "@lezer/highlight@1.2.5",
        "@lezer/lr@1.4.12",
        "style-mod@4.1.5",
        "crelt@1.0.7",
        "w3c-keyname@2.2.8",
        "@marijn/find-cluster-break@1.0.4",
    ),
}

#: Gives the packages of these names to pages: the address of the folder that has them.
Serve = Callable[..., str]


@pytest.fixture(scope="session")
def npm(site: Site, pytestconfig: pytest.Config) -> Serve:
    """See `Serve`. Skips the test where npm is missing; with ``--long`` or ``--require-data`` that is a failure."""
    folder = Path(pytestconfig.cache.mkdir("npm"))
    address = site.folder("npm", folder)

    def serve(*names: str) -> str:
        wanted = [package for name in names for package in PACKAGES[name]]
        try:
            fetch(folder, list(dict.fromkeys(wanted)))
        except NpmMissing as error:
            if pytestconfig.getoption("--long") or pytestconfig.getoption("--require-data"):
                pytest.fail(f"npm packages: {error}", pytrace=False)
            pytest.skip(f"npm packages: {error}")
        return address

    return serve


@pytest.fixture(scope="session")
def import_map(npm: Serve, pytestconfig: pytest.Config) -> Callable[[str], str]:
    """The ``<script type=importmap>`` for the modules of a name in `PACKAGES`."""
    folder = Path(pytestconfig.cache.mkdir("npm"))

    def made(name: str) -> str:
        address = npm(name)
        packages: Sequence[str] = [package.rpartition("@")[0] for package in PACKAGES[name]]
        imports = {}
        for package in packages:
            told = json.loads((folder / package / "package.json").read_text())
            exports = told.get("exports", {})
            entry = exports.get(".", exports) if isinstance(exports, dict) else {}
            module = told.get("module") or (entry.get("import") if isinstance(entry, dict) else None) or told["main"]
            imports[package] = f"{address}{package}/{module.removeprefix('./')}"
        return f"<script type=importmap>{json.dumps({'imports': imports})}</script>"

    return made
