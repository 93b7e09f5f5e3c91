"""Places in a page's scripts as places in the sources that they were made from.

The scripts are taken from what was recorded of the network, so nothing is asked of the page and its debugger stays off;
maps are loaded when a place in their script is first asked for, and kept.
"""

from __future__ import annotations

import asyncio
import base64
import logging
from collections import OrderedDict
from collections.abc import Iterable
from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes, urljoin

from pagelens.analysis.source_maps import MAX_MAP_BYTES, Mapped, SourceMap, SourceMapError, source_map_url
from pagelens.browser.resources import load_resource
from pagelens.errors import PagelensError

if TYPE_CHECKING:
    from pagelens.browser.page import Page
    from pagelens.collectors.network_collector import NetworkCollector
    from pagelens.collectors.network_request import NetworkRequest

__all__ = ["Place", "SourceMapper"]

log = logging.getLogger(__name__)

#: Address of a script, line and column, both counted from 1.
Place = tuple[str, int, int]

#: Seconds that a reply waits for maps; those that take longer are there for a later one.
PATIENCE = 4.0
#: Types of requests that may bring a script.
_SCRIPT_TYPES = ("script", "other", "preload", "prefetch")
#: Maps kept of one page.
MAX_MAPS = 40


class SourceMapper:
    """The source maps of one page's scripts.

    Args:
        network: where the scripts are.
        enabled: whether maps are used at all (``--no-source-maps``).
    """

    def __init__(self, page: Page, network: NetworkCollector, *, enabled: bool = True) -> None:
        self._page = page
        self._network = network
        self._enabled = enabled
        self._maps: OrderedDict[int, SourceMap | str] = OrderedDict()
        self._loading: dict[int, asyncio.Task[SourceMap | str]] = {}

    async def locate(self, places: Iterable[Place]) -> dict[Place, Mapped]:
        """Those of the places that a map covers. Waits at most `PATIENCE` seconds for maps."""
        if not self._enabled:
            return {}
        known = [place for place in dict.fromkeys(places) if place[1] > 0]
        scripts = self._scripts({place[0] for place in known})
        if not scripts:
            return {}
        by_script: dict[int, list[Place]] = {}
        for place in known:
            if place[0] in scripts:
                by_script.setdefault(scripts[place[0]].id, []).append(place)
        wanted = {request.id: self._map_of(request) for request in scripts.values()}
        await asyncio.wait(wanted.values(), timeout=PATIENCE)
        found: dict[Place, Mapped] = {}
        for number, task in wanted.items():
            source_map = task.result() if task.done() else None
            if not isinstance(source_map, SourceMap):
                continue
            for place in by_script[number]:
                try:
                    # The first one decodes the whole map.
                    mapped = await asyncio.to_thread(source_map.locate, place[1], max(place[2], 1))
                except SourceMapError as error:
                    self._maps[number] = f"it is damaged: {error}"
                    break
                if mapped is not None:
                    found[place] = mapped
        return found

    async def maps(self) -> dict[str, SourceMap]:
        """The maps of the current document's scripts, by these scripts' addresses. Waits at most `PATIENCE` seconds."""
        if not self._enabled:
            return {}
        urls = [request.url for request in self._network.get_data() if request.resource_type in _SCRIPT_TYPES]
        wanted = {url: self._map_of(request) for url, request in list(self._scripts(urls).items())[-MAX_MAPS:]}
        if wanted:
            await asyncio.wait(set(wanted.values()), timeout=PATIENCE)
        return {
            url: found for url, task in wanted.items() if task.done() and isinstance(found := task.result(), SourceMap)
        }

    def problem(self, url: str) -> str | None:
        """Why the map that the script of this address names is not used; None when it is, or names none."""
        request = self._scripts({url}).get(url)
        found = self._maps.get(request.id) if request is not None else None
        return found if isinstance(found, str) and found else None

    # -- getting them --------------------------------------------------------------------------------

    def _scripts(self, urls: Iterable[str]) -> dict[str, NetworkRequest]:
        """The newest request for each of these addresses that brought a script."""
        wanted: dict[str, list[str]] = {}
        for url in urls:
            if url.startswith(("http:", "https:", "file:")):
                wanted.setdefault(url.partition("#")[0], []).append(url)
        found: dict[str, NetworkRequest] = {}
        # Once over all that is recorded, however many addresses there are.
        for request in reversed(self._network.get_data(True)) if wanted else ():
            if request.resource_type in _SCRIPT_TYPES and request.state == "finished":
                for url in wanted.pop(request.url.partition("#")[0], ()):
                    found[url] = request
        return found

    def _map_of(self, request: NetworkRequest) -> asyncio.Task[SourceMap | str]:
        task = self._loading.get(request.id)
        if task is None:
            task = self._loading[request.id] = asyncio.get_running_loop().create_task(
                self._loaded(request), name="source map"
            )
            task.add_done_callback(lambda _: self._loading.pop(request.id, None))
        return task

    async def _loaded(self, request: NetworkRequest) -> SourceMap | str:
        """The map, why there is none, or empty when the script names none. Never raises."""
        known = self._maps.get(request.id)
        if known is not None:
            self._maps.move_to_end(request.id)
            return known
        try:
            found: SourceMap | str = await self._load(request)
        except SourceMapError as error:
            found = f"it is no source map: {error}"
        except PagelensError as error:
            found = str(error)
        if isinstance(found, str) and found:
            log.info("the source map of %s is not used: %s", request.url[:200], found)
        self._maps[request.id] = found
        while len(self._maps) > MAX_MAPS:
            self._maps.popitem(last=False)
        return found

    async def _load(self, request: NetworkRequest) -> SourceMap | str:
        body = await self._network.bodies.response_body(request)
        try:
            script = body.data.decode(request.charset or "utf-8", "replace")
        except LookupError:
            script = body.data.decode("utf-8", "replace")  # a charset that only Chrome knows
        named = await asyncio.to_thread(source_map_url, script, request.response_headers())
        if named is None:
            return ""
        if named.startswith("data:"):
            header, _, content = named.partition(",")
            try:
                data = base64.b64decode(content) if header.endswith(";base64") else unquote_to_bytes(content)
            except ValueError as error:
                raise SourceMapError(f"its data: URL is damaged ({error})") from error
            return await asyncio.to_thread(SourceMap, data, request.url)
        url = urljoin(request.url, named)
        data = await load_resource(self._page, url, limit=MAX_MAP_BYTES)
        return await asyncio.to_thread(SourceMap, data, url)
