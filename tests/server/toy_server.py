"""pagelens' stdio server with toy tools and no browser; run as a script, its flags are toy ones.

``--close-hangs`` makes the browser's end hang, ``--say-when-closed`` notes it on stderr.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from typing import Any

import pagelens.tools
from pagelens.core.options import Options
from pagelens.server import stdio
from pagelens.server.logs import configure_logging
from tests.server import toys


class ToyBrowser:
    """In place of the process's real browser and context."""

    def __init__(self, options: Options) -> None:
        self.made: Any = toys.ToyContext(options)

    def context(self) -> Any:
        return self.made

    async def close(self) -> None:
        print("events:", ", ".join(toys.EVENTS), file=sys.stderr)
        print("roots:", self.made.file_policy.allowed[2:], file=sys.stderr)
        print("heavy:", sorted({"numpy", "PIL", "av", "websockets"} & set(sys.modules)), file=sys.stderr)
        if "--close-hangs" in sys.argv:
            await asyncio.Event().wait()
        print("closed", file=sys.stderr, flush=True)


def main() -> int:
    pagelens.tools.create_tools = toys.toy_tools  # type: ignore[assignment]
    stdio._Browser = ToyBrowser  # type: ignore[misc,assignment]
    stdio.LAST_RESORT = 1.0
    # What goes in comes out whole.
    options = Options(structured_content="--structured" in sys.argv, max_reply_chars=100_000_000)
    configure_logging(options)
    code = stdio.run(options)
    print("threads:", threading.active_count(), file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
