"""A small HTTP server for the pages, on 127.0.0.1, in a process of its own: what it costs is nobody's."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from benchmarks.pages import html_of
from tests.support.data import data_dir

__all__ = ["running_site", "saved_pages"]

#: Of saved pages nothing comes from elsewhere and no script runs: they are the same every time.
_POLICY = "default-src 'self' data:; style-src 'unsafe-inline'; script-src 'none'"


def saved_pages() -> dict[str, Path]:
    """Real pages, by the address they are served at; none where there are no reference data."""
    folder = data_dir()
    files = sorted((folder / "pages" / "saved").glob("*.html")) if folder is not None else []
    return {f"saved/{file.stem}": file for file in files}


@contextmanager
def running_site(module: str = "benchmarks.site") -> Iterator[str]:
    """Serve a module's pages; yields the address they start with, without a slash at its end."""
    process = subprocess.Popen(
        [sys.executable, "-m", module],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[1],
    )
    try:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        yield f"http://127.0.0.1:{port}"
    finally:
        process.communicate()  # the end of its input ends it, also when we are killed


_SAVED = saved_pages()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        path, _, query = self.path.partition("?")
        status, kind, policy = 200, "text/html; charset=utf-8", None
        if path.startswith("/api/"):
            wait = re.search(r"ms=(\d+)", query)
            time.sleep(int(wait[1]) / 1000 if wait else 0)
            body, kind = json.dumps({"items": list(range(20))}).encode(), "application/json"
        elif path.startswith("/img/"):
            color = zlib.crc32(path.encode()) % 0xFFFFFF
            rect = f'<rect width="120" height="120" fill="#{color:06x}"/>'
            body = f'<svg xmlns="http://www.w3.org/2000/svg" width="120" height="120">{rect}</svg>'.encode()
            kind = "image/svg+xml"
        elif (name := path.removeprefix("/").removesuffix(".html")) in _SAVED:
            body, policy = _SAVED[name].read_bytes(), _POLICY
        else:
            try:
                body = html_of(name)
            except KeyError:
                status, body = 404, b"not found"
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        if policy is not None:
            self.send_header("Content-Security-Policy", policy)
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
