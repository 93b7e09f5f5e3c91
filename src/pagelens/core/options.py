"""What the user chose. One immutable value, made by the command line or the library, read everywhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

__all__ = ["CHANNELS", "DATA_FORMATS", "IMAGE_FORMATS", "MAX_REPLY_CHARS", "Options"]

#: Chrome's release channels, as `Options.channel` takes them.
CHANNELS = ("stable", "beta", "dev", "canary")
#: Formats of pictures, as `Options.screenshot_format` takes them.
IMAGE_FORMATS = ("png", "jpeg", "webp")
#: Compact encodings of lists, as `Options.data_format` takes them.
DATA_FORMATS = ("toon", "gcf")
#: Characters of a reply's text, and of its JSON. MCP clients refuse replies of more than about 25,000 tokens; what
#: pages show has about three characters a token, and less than two where it is all numbers.
MAX_REPLY_CHARS = 50_000


@dataclass(frozen=True, slots=True)
class Options:
    """Everything that can be chosen; the defaults suit an agent on a developer's machine.

    Attributes:
        executable_path: the browser to start; None means look for one (`pagelens.browser.find`).
        channel: one of `CHANNELS`: start this Chrome and keep a profile for it; None takes the first browser found.
        headless: without a window; None decides: headless when there is no display.
        isolated: a profile of its own for this run, removed at the end.
        user_data_dir: the profile directory; None means our own, one for each channel, in the user's cache directory.
        viewport: width and height in CSS pixels of each page; None means 1280x720 headless, else what the window has.
        proxy_server: as Chrome's ``--proxy-server``.
        accept_insecure_certs: load pages whose certificate is wrong, without asking.
        browser_url: work in the browser that serves this address (``http://127.0.0.1:9222``); nothing is started.
        ws_endpoint: work in the browser behind this WebSocket (``ws://127.0.0.1:9222/devtools/browser/…``).
        ws_headers: headers for the opening of `ws_endpoint`, by name.
        auto_connect: work in the browser of `channel` that runs on its default profile (or on `user_data_dir`).
        chrome_args: more Chrome switches, each whole (``--lang=de``).
        ignore_default_chrome_args: our own Chrome switches to leave out, by name (``--mute-audio``).
        page_id_routing: whether page tools take a ``pageId``.
        source_maps: whether places in scripts are told as places in their sources, where a script has a map.
        redact_network_headers: whether the values of headers that carry credentials are left out of replies and files.
        structured_content: whether replies carry JSON beside the text.
        data_format: one of `DATA_FORMATS` for the lists and snapshots in the text of replies; None: plain text.
        max_reply_chars: most characters of a reply's text, and of its JSON; the rest goes to a file or a next page.
        slim: serve three tools only: ``navigate``, ``evaluate``, ``screenshot``.
        vision: serve tools that work at places of a screenshot: ``click_at``.
        webmcp_passthrough: serve the WebMCP tools of the selected page as tools of their own, ``page_NAME``.
        screenshot_format: of screenshots when a call does not say: ``png``, ``jpeg``, ``webp``; None: png.
        screenshot_quality: of jpeg and webp when a call does not say, 0 to 100; None: Chrome's own.
        screenshot_max_width, screenshot_max_height: in pixels of the picture; larger ones are scaled down. None: what
            models take, and any size for files.
        categories: tool categories the user switched on or off by name; those not named keep their default.
        workspaces: more directories in which tools may read and write files.
        unrestricted_paths: tools may read and write everywhere.
        file_navigations: whether pages may be loaded from ``file:`` addresses at all.
        allowed_url_patterns: when there are any, only addresses that match one may be loaded (`core.url_patterns`).
        blocked_url_patterns: addresses that may not be loaded, even when allowed.
        javascript_evaluation: whether agents may bring JavaScript of their own to pages.
        http_credentials: addresses with user and password in them (``https://user:password@host``), for servers and
            proxies that ask for them. Never printed.
        log_file: where log lines go; None means stderr.
        verbose: log debug lines as well.
    """

    executable_path: str | None = None
    channel: str | None = None
    headless: bool | None = None
    isolated: bool = False
    user_data_dir: str | None = None
    viewport: tuple[int, int] | None = None
    proxy_server: str | None = None
    accept_insecure_certs: bool = False
    browser_url: str | None = None
    ws_endpoint: str | None = None
    ws_headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    auto_connect: bool = False
    chrome_args: tuple[str, ...] = ()
    ignore_default_chrome_args: tuple[str, ...] = ()
    page_id_routing: bool = True
    source_maps: bool = True
    redact_network_headers: bool = True
    structured_content: bool = False
    data_format: str | None = None
    max_reply_chars: int = MAX_REPLY_CHARS
    slim: bool = False
    vision: bool = False
    webmcp_passthrough: bool = False
    screenshot_format: str | None = None
    screenshot_quality: int | None = None
    screenshot_max_width: int | None = None
    screenshot_max_height: int | None = None
    categories: Mapping[str, bool] = field(default_factory=lambda: MappingProxyType({}))
    workspaces: tuple[str, ...] = ()
    unrestricted_paths: bool = False
    file_navigations: bool = True
    allowed_url_patterns: tuple[str, ...] = ()
    blocked_url_patterns: tuple[str, ...] = ()
    javascript_evaluation: bool = True
    http_credentials: tuple[str, ...] = field(default=(), repr=False)
    log_file: str | None = None
    verbose: bool = False

    @property
    def webmcp(self) -> bool:
        """Whether a browser that we start lets pages offer tools (WebMCP): with a category of tools that run them."""
        return bool(self.categories.get("webmcp") or self.categories.get("third-party"))

    @property
    def is_attaching(self) -> bool:
        """Whether the browser is one that runs already, and not ours to start or end."""
        return bool(self.browser_url or self.ws_endpoint or self.auto_connect)
