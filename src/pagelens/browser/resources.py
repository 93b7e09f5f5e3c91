"""Resources that we need for ourselves, such as source maps: loaded by the browser, with the page's cookies.

``Network.loadNetworkResource`` asks past CORS and shows in no list of requests, as DevTools does for itself. But none
of the rules of ``emulateNetworkConditionsByRule`` is applied to it (Chromium 156), and it follows redirects. So where
the user has set rules for addresses, ``fetch`` is used, in our isolated world of the page: rules hold, no redirect is
followed, and the request is in the page's list.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from pagelens.browser.world import JsFunction
from pagelens.core.deadlines import COMMAND
from pagelens.errors import PagelensError, ProtocolError, ResourceFailed

if TYPE_CHECKING:
    from pagelens.browser.page import Page

__all__ = ["load_resource"]

_FETCH_TEXT = JsFunction("pagelens.browser", "js/fetch_text.js")
#: Bytes that are read at once.
_CHUNK = 1 << 20


async def load_resource(page: Page, url: str, *, limit: int, timeout: float = COMMAND) -> bytes:
    """The content of an address, as the page's browser gets it.

    Args:
        limit: bytes it may have.
        timeout: seconds, for each step.

    Raises:
        UrlNotAllowed: the user's rules forbid it.
        ResourceFailed: there is none; says why.
    """
    policy = page.host.rules.policy
    policy.check(url)
    if not url.lower().startswith(("http:", "https:")):
        raise ResourceFailed(f"It is not loaded: only addresses of http and https are, not {url.partition(':')[0]}.")
    try:
        if policy.has_rules:
            text, why = await page.main_frame.call(_FETCH_TEXT, url, timeout=timeout)
            if text is None:
                raise ResourceFailed(f"It could not be loaded under the rules for addresses: {why}.")
            data = str(text).encode("utf-8", "surrogatepass")
        else:
            data = await _load(page, url, limit, timeout)
    except ResourceFailed:
        raise
    except PagelensError as error:
        raise ResourceFailed(f"It could not be loaded: {error}") from error
    if len(data) > limit:
        raise ResourceFailed(f"It is larger than {limit:,} bytes.")
    return data


async def _load(page: Page, url: str, limit: int, timeout: float) -> bytes:
    session = page.session
    reply = await session.send(
        "Network.loadNetworkResource",
        {
            "frameId": page.main_frame.id,
            "url": url,
            "options": {"disableCache": False, "includeCredentials": True},
        },
        timeout=timeout,
    )
    resource = reply["resource"]
    stream = resource.get("stream")
    try:
        if not resource.get("success") or stream is None:
            status = resource.get("httpStatusCode", 0)
            why = f"status {status:g}" if status else resource.get("netErrorName", "Chrome does not say why")
            raise ResourceFailed(f"It could not be loaded: {why}.")
        parts: list[bytes] = []
        size = 0
        while size <= limit:
            chunk = await session.send("IO.read", {"handle": stream, "size": _CHUNK}, timeout=timeout)
            data: str = chunk["data"]
            part = base64.b64decode(data) if chunk.get("base64Encoded") else data.encode("utf-8", "surrogatepass")
            parts.append(part)
            size += len(part)
            if chunk["eof"]:
                break
        return b"".join(parts)
    finally:
        if stream is not None:
            try:
                await session.send("IO.close", {"handle": stream}, timeout=timeout)
            except ProtocolError:
                pass  # it was read to its end, or its page is gone
