"""Log lines: to stderr or to the user's file, never to stdout, which belongs to the protocol."""

from __future__ import annotations

import logging
import os
import sys

from pagelens.core.options import Options
from pagelens.server.pipes import SURE_TO_FIT, is_ready

__all__ = ["configure_logging"]


def configure_logging(options: Options) -> None:
    """Send this process's log lines where the user wants them.

    Ours are shown from INFO on (DEBUG with ``--verbose``), those of libraries from WARNING on.

    Raises:
        OSError: the log file can't be opened.
    """
    handler: logging.Handler
    if options.log_file is not None:
        handler = logging.FileHandler(options.log_file, encoding="utf-8", errors="backslashreplace")
    else:
        handler = _StderrHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("pagelens").setLevel(logging.DEBUG if options.verbose else logging.INFO)
    logging.captureWarnings(True)


class _StderrHandler(logging.Handler):
    """Writes to stderr, unless that would block: a client that never reads our stderr must not stop us."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            data = (self.format(record) + "\n").encode("utf-8", "backslashreplace")
            if sys.platform == "win32":
                os.write(2, data)
                return
            while data and is_ready(2):
                data = data[os.write(2, data[:SURE_TO_FIT]) :]
        except OSError:
            return  # stderr is gone, and there is nobody else to tell
        except Exception:
            self.handleError(record)
