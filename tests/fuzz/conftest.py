"""One arena for each module: a browser of its own, as fuzzing crashes pages and more."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fuzz.arena import Arena
from tests.support.protocol import Watch
from tests.support.site import Site


@pytest.fixture(scope="module")
def arena(site: Site, _protocol_watch: Watch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    with Arena(site, tmp_path_factory.mktemp("fuzz")) as running:
        yield running
        running.check_files()
