"""The command ``pagelens``."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence

from pagelens.cli.flags import Invocation, parse
from pagelens.core.options import Options
from pagelens.errors import FileFailed, InvalidInput, PagelensError

__all__ = ["main"]

log = logging.getLogger(__name__)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line (``sys.argv`` by default); returns the exit code.

    0 is success, 1 a failure, 2 a command line that can't be right, 130 an interruption by the user.
    """
    try:
        invocation = parse(sys.argv[1:] if arguments is None else arguments)
        _check(invocation.options)
        _log_to(invocation.options, logging.WARNING if invocation.command else logging.INFO)
        for notice in invocation.notices:
            log.warning(notice)
        return _run(invocation)
    except InvalidInput as error:
        return _failed(error, 2)
    except PagelensError as error:
        return _failed(error, 1)
    except KeyboardInterrupt:
        return 130


def _run(invocation: Invocation) -> int:
    # Each command imports what it needs, when it is chosen.
    options = invocation.options
    if invocation.command == "doctor":
        from pagelens.cli.doctor import doctor

        return doctor(options)
    if invocation.command == "install-browser":
        from pagelens.cli.install_browser import install_browser

        return install_browser(options, dry_run="dry-run" in invocation.command_flags)
    if invocation.command == "tools":
        from pagelens.cli.list_tools import list_tools

        return list_tools(options, as_json="json" in invocation.command_flags)
    if sys.stdin is not None and sys.stdin.isatty():
        print(
            "pagelens is an MCP server: a client talks to it on stdin and stdout. Ctrl-D ends it. See pagelens --help.",
            file=sys.stderr,
        )
    from pagelens.server.stdio import run

    run(options)
    return 0


def _check(options: Options) -> None:
    if options.chrome_args or options.ignore_default_chrome_args:
        from pagelens.browser.arguments import check_chrome_args

        check_chrome_args(options)


def _log_to(options: Options, level: int) -> None:
    """Log lines of `level` and above go to stderr or a file: stdout belongs to the protocol."""
    handler: logging.Handler
    if options.log_file is None:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter("%(name)s: %(levelname)s: %(message)s"))
    else:
        try:
            handler = logging.FileHandler(options.log_file, encoding="utf-8")
        except OSError as error:
            raise FileFailed(
                f"The log file {options.log_file} can't be opened: {error.strerror}.", "Give another --log-file."
            ) from error
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.getLogger("pagelens").setLevel(logging.DEBUG if options.verbose else level)


def _failed(error: PagelensError, exit_code: int) -> int:
    print(f"pagelens: {error}", file=sys.stderr)
    return exit_code
