"""Pages for the insights of performance traces: a clean one, and troubles to put into it, one for each insight.

The pages are served under host names of their own (``--host-resolver-rules``): some insights say nothing of localhost.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import struct
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from string import ascii_letters

from pagelens.analysis.source_maps import SourceMap
from pagelens.analysis.trace import Trace
from pagelens.browser.host import BrowserHost
from pagelens.browser.page import Page
from pagelens.browser.tracing import TraceRecorder
from tests.support.site import Response, Site

__all__ = ["RESOLVER_RULES", "TROUBLES", "MadePage", "made_page", "recorded_trace"]

#: What the browser must be started with.
RESOLVER_RULES = "--host-resolver-rules=MAP *.test 127.0.0.1"
_YEAR = {"Cache-Control": "max-age=31536000, immutable"}
_numbers = itertools.count(1)

_CLICK = """
addEventListener('click', () => {
  %s
  document.getElementById('out').textContent = 'clicked';
});"""


@dataclass
class MadePage:
    """A page and its files, before it is served."""

    base: str
    other: str
    head: list[str] = field(default_factory=list)
    body: list[str] = field(default_factory=list)
    late: list[str] = field(default_factory=list)
    click: list[str] = field(default_factory=list)
    files: dict[str, Response] = field(default_factory=dict)
    maps: dict[str, SourceMap] = field(default_factory=dict)
    charset: bool = True
    viewport: bool = True
    hero: str = "<img id=hero src={base}hero.png width=600 height=400 fetchpriority=high alt=hero>"
    hero_delay: float = 0.0
    delay: float = 0.0
    is_mobile: bool = False
    url: str = ""

    def file(self, name: str, body: str | bytes, kind: str, *, delay: float = 0.0, headers: dict[str, str]) -> str:
        """Serve a file beside the page; returns its address."""
        self.files[name] = Response(body, content_type=kind, delay=delay, headers=dict(headers))
        return self.base + name

    def script(self, name: str, text: str, *, headers: dict[str, str] = _YEAR) -> str:
        url = self.file(name, text, "text/javascript; charset=utf-8", headers=headers)
        self.head.append(f"<script async src={url}></script>")
        return url

    def html(self) -> str:
        head = ["<!doctype html><html lang=en><head><title>Trace</title><link rel=icon href='data:,'>"]
        head += ["<meta charset=utf-8>"] if self.charset else []
        head += ["<meta name=viewport content='width=device-width, initial-scale=1'>"] if self.viewport else []
        hero = self.hero.replace("{base}", self.base)
        # All that is late comes when the page has been shown: two frames after its load.
        late = "\n".join(self.late)
        script = f"""<script>
const frame = () => new Promise(requestAnimationFrame);
const settled = async () => {{ await frame(); await frame(); await new Promise(done => setTimeout(done, 50)); }};
onload = async () => {{ await settled(); {late}
  await settled(); globalThis.isDone = true; }};
{_CLICK % " ".join(self.click)}
</script>"""
        body = [hero, "<h1>A page</h1><p id=out>text</p>", *self.body, script]
        return "\n".join([*head, *self.head, "</head><body>", *body, "</body></html>"])


# -- what is in pictures and scripts -------------------------------------------------------------------


def noisy_png(width: int, height: int, noisy_rows: int) -> bytes:
    """A PNG of which some rows can't be packed: Chrome takes pictures with nothing in them for none."""
    chance = random.Random(1)
    rows = b"".join(
        b"\0" + (chance.randbytes(width * 3) if row < noisy_rows else bytes(width * 3)) for row in range(height)
    )

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def _padding(size: int) -> str:
    chance = random.Random(2)
    return "/* " + "".join(chance.choice(ascii_letters) for _ in range(size)) + " */"


# -- troubles ------------------------------------------------------------------------------------------


def _lcp_breakdown(page: MadePage) -> None:
    page.hero_delay = 2.7


def _lcp_discovery(page: MadePage) -> None:
    page.hero = ""
    image = f"Object.assign(new Image(600, 400), {{src: '{page.base}hero.png'}})"
    page.body.append(f"<script>document.querySelector('h1').before({image})</script>")


def _inp_breakdown(page: MadePage) -> None:
    page.head.append(
        "<script>function slowHandler(ms) { const end = performance.now() + ms; let n = 0;"
        " while (performance.now() < end) n += Math.sqrt(n); return n; }</script>"
    )
    page.click.append("slowHandler(300);")


def _cls_culprits(page: MadePage) -> None:
    url = page.file("wide.png", noisy_png(300, 300, 5), "image/png", delay=1.5, headers=_YEAR)
    page.hero = f"<img src={url} style='display:block' alt=wide>{page.hero}"


def _render_blocking(page: MadePage) -> None:
    url = page.file("slow.css", "h1 { color: navy }", "text/css; charset=utf-8", delay=0.3, headers=_YEAR)
    page.head.append(f"<link rel=stylesheet href={url}>")


def _network_dependency_tree(page: MadePage) -> None:
    inner = page.file("inner.css", "h1 { color: navy }", "text/css; charset=utf-8", delay=0.1, headers=_YEAR)
    url = page.file("outer.css", f"@import url({inner});", "text/css; charset=utf-8", delay=0.1, headers=_YEAR)
    page.head.append(f"<link rel=stylesheet href={url}>")


def _image_delivery(page: MadePage) -> None:
    url = page.file("photo.png", noisy_png(300, 300, 300), "image/png", headers=_YEAR)
    page.body.append(f"<img src={url} width=60 height=60 alt=photo>")


def _document_latency(page: MadePage) -> None:
    page.delay = 0.75


def _font_display(page: MadePage) -> None:
    url = page.file("font.woff2", bytes(2_000), "font/woff2", delay=0.1, headers=_YEAR)
    page.head.append(f"<style>@font-face {{ font-family: Web; src: url({url}) }} #out {{ font-family: Web }}</style>")


def _viewport(page: MadePage) -> None:
    page.viewport, page.is_mobile = False, True


def _dom_size(page: MadePage) -> None:
    page.late.append(
        "document.body.append(Object.assign(document.createElement('div'),"
        " {innerHTML: '<p><b>bold</b> <i>text</i> <u>and more</u></p>'.repeat(12000)})); await settled();"
    )


def _third_parties(page: MadePage) -> None:
    url = page.file("third.js", "globalThis.third = 1;", "text/javascript", headers=_YEAR)
    page.head.append(f"<script async src={url.replace(page.base, page.other)}></script>")


def _duplicated_javascript(page: MadePage) -> None:
    module = "globalThis.lib = (" + "(a => a + 1)" + ")(1);" + _padding(2_000)
    for name in ("one.js", "two.js"):
        url = page.script(name, f"{module}\nglobalThis.{name[:3]} = 1;")
        sources = ["webpack://shop/node_modules/lib/index.js", f"webpack://shop/src/{name}"]
        found = {"version": 3, "sources": sources, "mappings": "AAAA;ACAA"}
        page.maps[url] = SourceMap(json.dumps(found), url)


def _slow_css_selector(page: MadePage) -> None:
    rules = " ".join(
        f"div > p:nth-last-child({n}n+1) ~ p b, body p:not(.c{n}) + p i {{ top: {n}px }}" for n in range(2, 12)
    )
    page.head.append(f"<style>{rules}</style>")
    page.body.append("<div>" + "<p><b>b</b><i>i</i></p>" * 800 + "</div>")


def _forced_reflow(page: MadePage) -> None:
    page.body.append("<div id=thrash style='width:500px'>" + "<span>words </span>" * 600 + "</div>")
    page.head.append("""<script>function thrash() {
  const box = document.getElementById('thrash'), end = performance.now() + 90;
  for (let n = 0; performance.now() < end; n++) {
    box.style.width = 300 + n % 100 + 'px';
    globalThis.seen = box.offsetHeight;
  }
}</script>""")
    page.late.append("thrash();")


def _cache(page: MadePage) -> None:
    page.script("short.js", "globalThis.short = 1;", headers={"Cache-Control": "max-age=60"})


def _character_set(page: MadePage) -> None:
    page.charset = False


def _modern_http(page: MadePage) -> None:
    for number in range(8):
        url = page.file(f"{number}.png", noisy_png(40, 40, 2), "image/png", headers=_YEAR)
        page.body.append(f"<img src={url} width=40 height=40 alt=small>")


def _legacy_javascript(page: MadePage) -> None:
    methods = ("Array.prototype.flat", "Object.entries")
    text = "".join(f"if (!{name}) {{ {name} = function () {{ return this; }}; }}\n" for name in methods)
    page.script("old.js", text + _padding(14_000))


#: By insight, what sets it off.
TROUBLES: dict[str, Callable[[MadePage], None]] = {
    "INPBreakdown": _inp_breakdown,
    "LCPBreakdown": _lcp_breakdown,
    "LCPDiscovery": _lcp_discovery,
    "CLSCulprits": _cls_culprits,
    "RenderBlocking": _render_blocking,
    "NetworkDependencyTree": _network_dependency_tree,
    "ImageDelivery": _image_delivery,
    "DocumentLatency": _document_latency,
    "FontDisplay": _font_display,
    "Viewport": _viewport,
    "DOMSize": _dom_size,
    "ThirdParties": _third_parties,
    "DuplicatedJavaScript": _duplicated_javascript,
    "SlowCSSSelector": _slow_css_selector,
    "ForcedReflow": _forced_reflow,
    "Cache": _cache,
    "CharacterSet": _character_set,
    "ModernHTTP": _modern_http,
    "LegacyJavaScript": _legacy_javascript,
}


# -- serving and recording -----------------------------------------------------------------------------


def made_page(site: Site, troubles: Iterable[str] = ()) -> MadePage:
    """Serve the clean page with these troubles in it."""
    folder = f"/made{next(_numbers)}/"
    page = MadePage(f"http://www.shop.test:{site.port}{folder}", f"http://cdn.other.test:{site.port}{folder}")
    page.script("app.js", "globalThis.app = () => 1;\n" + _padding(6_000))
    for name in troubles:
        TROUBLES[name](page)
    page.file("hero.png", noisy_png(600, 400, 5), "image/png", delay=page.hero_delay, headers=_YEAR)
    kind = "text/html; charset=utf-8" if page.charset else "text/html"
    html, delay = page.html(), page.delay
    # Nothing about a document is to be kept; what is packed is none of a small page's troubles.
    packed = zlib.compressobj(wbits=31)
    body = packed.compress(html.encode()) + packed.flush()
    site.route(folder, lambda _: Response(body, content_type=kind, delay=delay, headers={"Content-Encoding": "gzip"}))
    for name, response in page.files.items():
        site.route(folder + name, lambda _, response=response: response)  # type: ignore[misc]
    page.url = page.base
    return page


async def recorded_trace(host: BrowserHost, made: MadePage, *, screenshots: bool = False) -> Trace:
    """Load the page, click on it, and analyse what was recorded."""
    page = await host.new_page()
    try:
        if made.is_mobile:
            await page.session.send(
                "Emulation.setDeviceMetricsOverride",
                {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True},
            )
        recorder = TraceRecorder(page, screenshots=screenshots, selector_stats=True)
        await recorder.start()
        await page.navigate(made.url, timeout=20)
        await _until(page, "globalThis.isDone === true")
        for type_ in ("mousePressed", "mouseReleased"):
            await page.session.send(
                "Input.dispatchMouseEvent", {"type": type_, "x": 30, "y": 30, "button": "left", "clickCount": 1}
            )
        await _until(page, "document.getElementById('out').textContent === 'clicked'")
        await asyncio.sleep(0.3)  # for the frame that shows it, and what Chrome then says of the event
        recorded = await recorder.stop()
        return Trace.load(recorded.path, source_maps=made.maps)
    finally:
        await page.close()


async def _until(page: Page, expression: str) -> None:
    async with asyncio.timeout(20):
        while True:
            found = await page.session.send("Runtime.evaluate", {"expression": expression})
            if found["result"].get("value") is True:
                return
            await asyncio.sleep(0.05)
