"""The demo's web site: a few pages on 127.0.0.1, served by a thread of this program."""

from __future__ import annotations

import json
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from urllib.parse import parse_qs, urlencode, urlsplit

__all__ = ["DemoSite"]

PAGES = Path(__file__).parent / "pages"
BRANCHES = ["Old Harbour", "Lighthouse Road", "Market Square"]


class DemoSite:
    """Serves the pages while it is entered; `url` gives their addresses."""

    def __init__(self) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> DemoSite:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        _Handler.ending.set()
        self._server.shutdown()
        self._server.server_close()

    def url(self, path: str) -> str:
        """The address of a page, e.g. ``signup.html``."""
        return f"http://127.0.0.1:{self._server.server_port}/{path}"


class _Handler(BaseHTTPRequestHandler):
    ending = threading.Event()

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        if path == "/endless.png":
            self._endless()
        elif path == "/api/branches.json":
            self._send(json.dumps(BRANCHES).encode(), "application/json")
        elif (page := PAGES / path.lstrip("/")).parent == PAGES and page.is_file():
            self._send(page.read_bytes(), "text/html; charset=utf-8")
        else:
            self._send(b"not found", "text/plain", HTTPStatus.NOT_FOUND)

    def do_POST(self) -> None:
        fields = parse_qs(self.rfile.read(int(self.headers.get("Content-Length", 0))).decode())
        self.send_response(HTTPStatus.SEE_OTHER)
        self.send_header("Location", "/welcome.html?" + urlencode({name: values[0] for name, values in fields.items()}))
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _send(self, body: bytes, kind: str, status: HTTPStatus = HTTPStatus.OK) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _endless(self) -> None:
        """An image that begins and never ends."""
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "image/png")
        self.end_headers()
        self.wfile.write(b"\x89PNG\r\n\x1a\n")
        self.ending.wait()

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: what was requested is what the demo shows."""
