"""Pages that are slow in twelve ways, and their server on 127.0.0.1, in a process of its own.

The server answers under every name: those that end in ``.test`` are third parties' (with ``--host-resolver-rules``).
"""

from __future__ import annotations

import random
import re
import struct
import sys
import threading
import time
import zlib
from contextlib import AbstractContextManager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from benchmarks.site import running_site

__all__ = ["SLOW_PAGES", "running_slow_site"]

#: By name, the path that leads to each.
SLOW_PAGES = {
    "slow server": "/slow-server.html?ms=900",
    "late LCP": "/late-lcp.html",
    "blocking CSS": "/blocking.html",
    "shifts": "/shifts.html",
    "long tasks": "/tasks.html",
    "forced reflow": "/reflow.html",
    "big DOM": "/dom.html",
    "fonts": "/fonts.html",
    "images": "/images.html",
    "third parties": "/parties.html",
    "redirects": "/go?ms=150&to=/go?ms=150%26to=/end.html",
    "caching": "/caching.html",
}

_BUSY = "function busy(ms){const end=performance.now()+ms;while(performance.now()<end);}"
_TEXT = "<p>" + "Some words that make up a paragraph of text. " * 12 + "</p>"


def running_slow_site() -> AbstractContextManager[str]:
    """Serve the pages; yields the address they start with, without a slash at its end."""
    return running_site("benchmarks.slow_site")


def _page(title: str, body: str, head: str = "") -> bytes:
    return (
        f"<!doctype html><html lang=en><head><meta charset=utf-8><title>{title}</title>"
        f'<meta name=viewport content="width=device-width"><link rel=icon href="data:,">{head}</head>'
        f"<body><h1>{title}</h1>{body}</body></html>"
    ).encode()


def _pages(port: str) -> dict[str, bytes]:
    images = "".join(f"<img src=/noise.png?{n} width=160 height=160 alt=''>" for n in range(4))
    parties = "".join(
        f"<script src=http://{name}.test:{port}/party.js?work={work}></script>"
        for name, work in (("cdn.widgets", 40), ("static.metrics", 20), ("ads.banners", 60))
    )
    many = "".join(f"<script src=/kept.js?{n}></script>" for n in range(6))
    return {
        "/slow-server.html": _page("Slow server", _TEXT),
        "/late-lcp.html": _page(
            "Late", "<div id=here></div><script src=/late.js?ms=300></script>", "<style>img{display:block}</style>"
        ),
        "/blocking.html": _page(
            "Blocking",
            _TEXT,
            "<link rel=stylesheet href=/a.css?ms=500><link rel=stylesheet href=/b.css?ms=300>"
            "<script src=/c.js?ms=350></script>",
        ),
        "/shifts.html": _page(
            "Shifts",
            f"<div id=top></div>{_TEXT}<img src=/noise.png?ms=400 alt=''>{_TEXT * 3}"
            "<script>setTimeout(()=>{document.getElementById('top').style.height='260px'},700)</script>",
        ),
        "/tasks.html": _page(
            "Tasks",
            f"{_TEXT}<script>{_BUSY}busy(120);[500,800,1100].forEach((at)=>setTimeout(()=>busy(160),at))</script>",
        ),
        "/reflow.html": _page(
            "Reflow",
            "<div id=rows></div><script>function thrash(){const rows=document.getElementById('rows');"
            "for(let n=0;n<700;n++){const row=document.createElement('p');row.textContent='row '+n;rows.append(row);"
            "window.height=rows.offsetHeight;}}setTimeout(thrash,600)</script>",
        ),
        "/dom.html": _page(
            "DOM",
            "<div id=list></div><script>const list=document.getElementById('list');let html='';"
            "for(let n=0;n<9000;n++)html+='<div class=row><b>'+n+'</b><i>text</i></div>';list.innerHTML=html;"
            "setTimeout(()=>{document.body.className='wide'},900)</script>",
            "<style>.row{display:flex}.wide .row{padding:3px}.wide .row b{width:90px}</style>",
        ),
        "/fonts.html": _page(
            "Fonts",
            f"<div style='font-family:Slow'>{_TEXT}</div>",
            "<style>@font-face{font-family:Slow;src:url(/slow.woff2?ms=500);font-display:block}</style>",
        ),
        "/images.html": _page("Images", images),
        "/parties.html": _page("Parties", f"{_TEXT}{parties}"),
        "/end.html": _page("End", _TEXT),
        "/caching.html": _page("Caching", f"{_TEXT}{many}", "<link rel=stylesheet href=/kept.css>"),
    }


_LATE = (
    "setTimeout(()=>{const image=new Image();image.src='/noise.png?ms=400';image.width=700;image.height=500;"
    "image.alt='';document.getElementById('here').append(image)},250)"
)


@cache
def _noise() -> bytes:
    """A picture that nothing makes smaller: 420 x 420 pixels."""
    size = 420
    source = random.Random(1)
    rows = b"".join(b"\0" + source.randbytes(3 * size) for _ in range(size))

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b"")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        path, _, query = self.path.partition("?")
        wait = re.match(r"(?:.*&)?ms=(\d+)", query)
        time.sleep(int(wait[1]) / 1000 if wait else 0)
        status, headers = 200, {"Cache-Control": "max-age=31536000"}
        if path == "/go":
            status, body, kind = 302, b"", "text/plain"
            headers = {"Location": query.partition("to=")[2].replace("%26", "&"), "Cache-Control": "no-store"}
        elif path == "/party.js":
            work = query.partition("work=")[2]
            body, kind = f"{_BUSY}busy({int(work)});//{'x' * 20_000}".encode(), "text/javascript"
        elif path.startswith("/kept"):
            headers = {"Cache-Control": "max-age=120"}
            body, kind = b"/*" + b"kept " * 4_000 + b"*/", "text/css" if path.endswith("css") else "text/javascript"
        elif path == "/late.js":
            body, kind = _LATE.encode(), "text/javascript"
        elif path.endswith(".png"):
            body, kind = _noise(), "image/png"
        elif path.endswith((".css", ".js", ".woff2")):
            kinds = {"css": "text/css", "js": "text/javascript", "woff2": "font/woff2"}
            body, kind = b"/* */", kinds[path.rpartition(".")[2]]
        else:
            assert isinstance(self.server, ThreadingHTTPServer)
            found = _pages(str(self.server.server_port)).get(path)
            headers = {"Cache-Control": "no-store"}
            status, body, kind = (200 if found else 404), found or b"not found", "text/html; charset=utf-8"
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


if __name__ == "__main__":
    server = _Server(("127.0.0.1", 0), _Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1], flush=True)
    sys.stdin.read()
