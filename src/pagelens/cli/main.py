"""The command ``pagelens``."""

from __future__ import annotations

import logging
import os
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
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if given[:1] in (["outline"], ["search"]):
            from pagelens.cli import outline

            return (outline.outline if given[0] == "outline" else outline.search)(given[1:])
        if given[:1] == ["heap"]:
            # It has arguments of its own, and nothing to do with a browser.
            from pagelens.cli.heap import heap

            return heap(given[1:])
        if given[:1] == ["trace"]:
            from pagelens.cli.trace import trace

            return trace(given[1:])
        invocation = parse(given)
        _check(invocation.options)
        _log(invocation)
        return _run(invocation)
    except InvalidInput as error:
        return _failed(error, 2)
    except PagelensError as error:
        return _failed(error, 1)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever read our stdout has seen enough (`| head`). Python would complain once more at its own end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _run(invocation: Invocation) -> int:
    # Each command imports what it needs, when it is chosen.
    options = invocation.options
    if invocation.command == "heap":
        raise InvalidInput("Flags come after the command: pagelens heap COMMAND FILE….", "See: pagelens heap --help")
    if invocation.command == "trace":
        raise InvalidInput("Flags come after the command: pagelens trace FILE….", "See: pagelens trace --help")
    if invocation.command in ("outline", "search"):
        command = invocation.command
        raise InvalidInput(f"Flags come after the command: pagelens {command} …", f"See: pagelens {command} --help")
    if invocation.command == "doctor":
        from pagelens.cli.doctor import doctor

        return doctor(options, warm="warm" in invocation.command_flags)
    if invocation.command == "install-browser":
        from pagelens.cli.install_browser import install_browser

        return install_browser(options, dry_run="dry-run" in invocation.command_flags)
    if invocation.command == "tools":
        from pagelens.cli.list_tools import list_tools

        return list_tools(options, as_json="json" in invocation.command_flags)
    from pagelens.server.stdio import run

    return run(options)


def _check(options: Options) -> None:
    if options.chrome_args or options.ignore_default_chrome_args:
        from pagelens.browser.arguments import check_chrome_args

        check_chrome_args(options)
    if options.allowed_url_patterns or options.blocked_url_patterns:
        from pagelens.core.urls import UrlPolicy

        UrlPolicy(options)
    if options.workspaces:
        from pagelens.core.files import FilePolicy

        FilePolicy.of(options)
    if options.data_format:
        from pagelens.response.encoding import check_installed

        check_installed(options.data_format)
    if options.http_credentials:
        from pagelens.core.credentials import parse_credentials

        for text in options.http_credentials:
            parse_credentials(text)


def _log(invocation: Invocation) -> None:
    from pagelens.server.logs import configure_logging

    try:
        configure_logging(invocation.options)
    except OSError as error:
        raise FileFailed(
            f"The log file {invocation.options.log_file} can't be opened: {error.strerror}.", "Give another --log-file."
        ) from error
    if invocation.command and not invocation.options.verbose:
        # A command says on stdout what it finds.
        logging.getLogger("pagelens").setLevel(logging.WARNING)
    for notice in invocation.notices:
        log.warning(notice)


def _failed(error: PagelensError, exit_code: int) -> int:
    print(f"pagelens: {error}", file=sys.stderr)
    return exit_code
