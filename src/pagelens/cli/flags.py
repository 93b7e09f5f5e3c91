"""The flags: what they are called, in which other spellings they are understood, and the `Options` they make.

Only the standard library and `Options` are imported here: the server must answer its first message at once.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NoReturn

from pagelens._version import __version__
from pagelens.core.addresses import check_address
from pagelens.core.options import CHANNELS, DATA_FORMATS, IMAGE_FORMATS, MAX_REPLY_CHARS, Options
from pagelens.errors import InvalidInput

__all__ = ["CATEGORY_NAMES", "COMMANDS", "Invocation", "parse"]

#: The groups of tools, as in ``--[no-]category-NAME``. The table with their defaults is `pagelens.tools.categories`,
#: which is not imported for its weight; a test holds the two together.
CATEGORY_NAMES = (
    "input",
    "navigation",
    "emulation",
    "performance",
    "network",
    "debugging",
    "memory",
    "extensions",
    "pwa",
    "third-party",
    "webmcp",
)

#: The subcommands and what they do; without one the MCP server runs.
COMMANDS = {
    "doctor": "find the browser, start it, open a page; say what works and what to do about the rest",
    "install-browser": "install Chromium with this system's package manager, or say how",
    "tools": "list the tools that would be served",
    "outline": "a page, or a saved snapshot, as a short outline (see pagelens outline --help)",
    "search": "what of a page, or of a saved snapshot, matches a pattern (see pagelens search --help)",
    "heap": "understand heap snapshots: summary, classes, retainers, diff (see pagelens heap --help)",
    "trace": "explain a performance trace: metrics, what to mend first, where time went (see pagelens trace --help)",
}


@dataclass(frozen=True, slots=True)
class _Flag:
    name: str
    kind: Literal["switch", "value", "list"]
    help: str
    group: str
    metavar: str = ""
    negatable: bool = False
    choices: tuple[str, ...] | None = None


_BROWSER = "which browser"
_ATTACH = "a browser that runs already (nothing is started, and nothing of it ended)"
_PROFILE = "its profile (default: one of our own for each kind of browser, kept between runs)"
_PAGES = "how pages load and look"
_RULES = "what agents and pages may do"
_SERVED = "what is served"
_COMMON = "other"
_GROUP_NOTES = {
    _SERVED: "--[no-]category-NAME switches a group of tools on or off. NAME is one of:\n" + ", ".join(CATEGORY_NAMES)
}

_FLAGS = (
    _Flag("executable-path", "value", "start this browser", _BROWSER, "PATH"),
    _Flag("channel", "value", "start this Chrome: %(choices)s", _BROWSER, "NAME", choices=CHANNELS),
    _Flag(
        "headless",
        "switch",
        "without a window, or with one (default: with one if there is a display)",
        _BROWSER,
        negatable=True,
    ),
    _Flag("chrome-arg", "list", "one more switch for Chrome, e.g. --chrome-arg=--lang=de; repeatable", _BROWSER, "ARG"),
    _Flag(
        "ignore-default-chrome-arg",
        "list",
        "a switch of ours that Chrome shall not get, e.g. --mute-audio; repeatable",
        _BROWSER,
        "ARG",
    ),
    _Flag("browser-url", "value", "work in the Chrome that serves this address: http://127.0.0.1:9222", _ATTACH, "URL"),
    _Flag(
        "ws-endpoint", "value", "work in the Chrome behind this WebSocket: ws://HOST:PORT/devtools/…", _ATTACH, "URL"
    ),
    _Flag("ws-headers", "value", "headers for --ws-endpoint, as a JSON object", _ATTACH, "JSON"),
    _Flag(
        "auto-connect",
        "switch",
        "work in the user's own Chrome, found by its profile (of --channel, or --user-data-dir)",
        _ATTACH,
    ),
    _Flag("isolated", "switch", "a throwaway profile, deleted at the end", _PROFILE),
    _Flag("user-data-dir", "value", "this profile directory", _PROFILE, "DIR"),
    _Flag("viewport", "value", "size of each page in CSS pixels, e.g. 1280x720", _PAGES, "WxH"),
    _Flag("proxy-server", "value", "load pages through this proxy, e.g. socks5://127.0.0.1:1080", _PAGES, "URL"),
    _Flag("accept-insecure-certs", "switch", "load pages with wrong certificates (dangerous)", _PAGES),
    _Flag(
        "allowed-url-pattern",
        "list",
        "load only addresses that match (URLPattern), e.g. https://*.example.com/*; repeatable",
        _RULES,
        "PATTERN",
    ),
    _Flag(
        "blocked-url-pattern", "list", "never load addresses that match, even if allowed; repeatable", _RULES, "PATTERN"
    ),
    _Flag("workspace", "list", "tools may also read and write files in this directory; repeatable", _RULES, "DIR"),
    _Flag("allow-unrestricted-paths", "switch", "tools may read and write files everywhere", _RULES),
    _Flag(
        "file-navigations",
        "switch",
        "whether pages may be loaded from files (default: yes, where tools may read)",
        _RULES,
        negatable=True,
    ),
    _Flag(
        "javascript-evaluation",
        "switch",
        "whether agents may run JavaScript of their own (default: yes)",
        _RULES,
        negatable=True,
    ),
    _Flag(
        "http-credentials",
        "list",
        "log in to this server or proxy: https://USER:PASSWORD@HOST; repeatable",
        _RULES,
        "URL",
    ),
    _Flag(
        "page-id-routing",
        "switch",
        "whether tools take a pageId (default: yes); without, all use the selected page",
        _SERVED,
        negatable=True,
    ),
    _Flag("slim", "switch", "serve three tools only: navigate, evaluate, screenshot", _SERVED),
    _Flag(
        "webmcp-passthrough",
        "switch",
        "serve the WebMCP tools of the selected page as tools too, page_NAME (with --category-webmcp)",
        _SERVED,
    ),
    _Flag("vision", "switch", "serve click_at too, which clicks at a place of a screenshot", _SERVED),
    _Flag(
        "screenshot-format",
        "value",
        "of screenshots, unless a call names one: %(choices)s",
        _SERVED,
        "FORMAT",
        choices=IMAGE_FORMATS,
    ),
    _Flag("screenshot-quality", "value", "of jpeg and webp, unless a call names one: 0 to 100", _SERVED, "N"),
    _Flag("screenshot-max-width", "value", "scale screenshots down to this width in pixels", _SERVED, "N"),
    _Flag("screenshot-max-height", "value", "scale screenshots down to this height in pixels", _SERVED, "N"),
    _Flag(
        "source-maps",
        "switch",
        "whether places in scripts are told as places in their sources (default: yes)",
        _SERVED,
        negatable=True,
    ),
    _Flag(
        "redact-network-headers",
        "switch",
        "leave the values of cookies, tokens and passwords out of headers (default: yes)",
        _RULES,
        negatable=True,
    ),
    _Flag("structured-content", "switch", "send JSON beside the text of each reply", _SERVED, negatable=True),
    _Flag(
        "data-format",
        "value",
        "encode lists and snapshots in the text of replies: %(choices)s (extras of the package)",
        _SERVED,
        "NAME",
        choices=DATA_FORMATS,
    ),
    _Flag(
        "max-reply-chars",
        "value",
        f"most characters of a reply (default: {MAX_REPLY_CHARS}); the rest goes to a file or a next page",
        _SERVED,
        "N",
    ),
    _Flag("log-file", "value", "write log lines here, not to stderr", _COMMON, "FILE"),
    _Flag("verbose", "switch", "log details", _COMMON),
)
#: Flags whose value is a whole number: from, to.
_NUMBERS = {
    "screenshot-quality": (0, 100),
    "screenshot-max-width": (1, 16_000),
    "screenshot-max-height": (1, 16_000),
    "max-reply-chars": (10_000, 100_000_000),
}
_BY_NAME = {flag.name: flag for flag in _FLAGS}
_COMMAND_FLAGS: dict[str, dict[str, str]] = {
    "tools": {"json": "as JSON, with parameters and annotations, as an MCP client gets them"},
    "install-browser": {"dry-run": "only say what would be run"},
    "doctor": {"warm": "also compile what large heap snapshots need, so that none has to wait for it"},
}
_SHORT = {"-e": "executable-path", "-u": "browser-url", "-w": "ws-endpoint", "-v": "verbose"}
# What chrome-devtools-mcp calls a thing that has another name here.
_RENAMED = {"memory-debugging": "category-memory", "memory": "category-memory", "devtools-webmcp": "category-webmcp"}
# Its flags for what is not here: nothing is lost by going on without. Value: (takes a value, what to say).
_NOT_HERE = {
    "devtools": (False, ""),
    "include-all-pages": (False, ""),
    "navigation-allowlist": (False, ""),
    "interop-tools": (False, ""),
    "screencast": (False, ""),
    "ffmpeg-path": (True, "pagelens never needs ffmpeg"),
    "performance-crux": (False, "no URL is ever sent to Google's CrUX service"),
    "usage-statistics": (False, "pagelens collects none"),
    "clearcut-endpoint": (True, "pagelens collects no usage statistics"),
    "clearcut-force-flush-interval-ms": (True, "pagelens collects no usage statistics"),
    "clearcut-include-pid-header": (False, "pagelens collects no usage statistics"),
    "via-cli": (False, ""),
}
# Its switches that are a value of one of our flags.
_VALUES = {"toon-format": ("data-format", "toon")}
# A browser that runs already has all this behind it.
_FOR_THE_START = (
    "executable-path",
    "headless",
    "no-headless",
    "isolated",
    "chrome-arg",
    "ignore-default-chrome-arg",
    "proxy-server",
    "accept-insecure-certs",
)
_CONTRADICTIONS = (
    ("isolated", "user-data-dir"),
    ("executable-path", "channel"),
    ("workspace", "allow-unrestricted-paths"),
    ("webmcp-passthrough", "slim"),
    ("webmcp-passthrough", "no-category-webmcp"),
    ("browser-url", "ws-endpoint"),
    ("browser-url", "auto-connect"),
    ("ws-endpoint", "auto-connect"),
    *((attach, other) for attach in ("browser-url", "ws-endpoint") for other in ("channel", "user-data-dir")),
    *((attach, other) for attach in ("browser-url", "ws-endpoint", "auto-connect") for other in _FOR_THE_START),
)
# A header that the opening of a WebSocket makes itself, or that would change what it is.
_HEADERS_LOOK = """It looks like '{"Authorization": "Bearer TOKEN"}'."""
_RESERVED_HEADERS = re.compile(r"(?i)host|connection|upgrade|content-length|transfer-encoding|sec-websocket-.*")

_DESCRIPTION = """\
A live Chrome for AI agents. Without a command, pagelens is an MCP server on stdin and stdout: put

  {"mcpServers": {"pagelens": {"command": "pagelens"}}}

into your MCP client's configuration. The browser starts at the first call that needs it, and ends with the server.
"""


@dataclass(frozen=True, slots=True)
class Invocation:
    """What a command line asks for.

    Attributes:
        command: a key of `COMMANDS`, or empty for the server.
        options: for the browser and the server.
        command_flags: the flags of the command itself that were given, e.g. ``json``.
        notices: one line for each flag that was accepted without effect.
    """

    command: str
    options: Options
    command_flags: frozenset[str] = frozenset()
    notices: tuple[str, ...] = ()


@dataclass(slots=True)
class _Canonical:
    """Arguments in our own spelling: each flag one ``--name`` or ``--name=value``."""

    tokens: list[str] = field(default_factory=list)
    command: str = ""
    notices: list[str] = field(default_factory=list)


def parse(arguments: Sequence[str]) -> Invocation:
    """Read a command line.

    Raises:
        InvalidInput: an unknown flag or command (with the nearest one), a bad value, flags that contradict each other.
        SystemExit: after ``--help`` or ``--version`` has been printed.
    """
    canonical = _canonical(arguments)
    _check_contradictions(canonical.tokens)
    values = vars(_parser(canonical.command).parse_args(canonical.tokens))
    if values["browser_url"] is not None:
        check_address("--browser-url", values["browser_url"], ("http", "https"))
    if values["ws_endpoint"] is not None:
        check_address("--ws-endpoint", values["ws_endpoint"], ("ws", "wss"))
    elif values["ws_headers"] is not None:
        raise InvalidInput("--ws-headers does nothing without --ws-endpoint.", "Give both, or leave it out.")
    categories = {
        name: bool(value) for name in CATEGORY_NAMES if (value := values.get(f"category_{_dest(name)}")) is not None
    }
    if values["webmcp_passthrough"]:
        categories["webmcp"] = True
    options = Options(
        executable_path=values["executable_path"],
        channel=values["channel"],
        headless=values["headless"],
        isolated=bool(values["isolated"]),
        user_data_dir=values["user_data_dir"],
        viewport=values["viewport"],
        proxy_server=values["proxy_server"],
        accept_insecure_certs=bool(values["accept_insecure_certs"]),
        browser_url=values["browser_url"],
        ws_endpoint=values["ws_endpoint"],
        ws_headers=_headers(values["ws_headers"]) if values["ws_headers"] is not None else {},
        auto_connect=bool(values["auto_connect"]),
        chrome_args=tuple(values["chrome_arg"] or ()),
        ignore_default_chrome_args=tuple(values["ignore_default_chrome_arg"] or ()),
        workspaces=tuple(values["workspace"] or ()),
        unrestricted_paths=bool(values["allow_unrestricted_paths"]),
        file_navigations=values["file_navigations"] is not False,
        allowed_url_patterns=tuple(values["allowed_url_pattern"] or ()),
        blocked_url_patterns=tuple(values["blocked_url_pattern"] or ()),
        javascript_evaluation=values["javascript_evaluation"] is not False,
        http_credentials=(
            *(values["http_credentials"] or ()),
            *os.environ.get("PAGELENS_HTTP_CREDENTIALS", "").split(),
        ),
        page_id_routing=values["page_id_routing"] is not False,
        source_maps=values["source_maps"] is not False,
        redact_network_headers=values["redact_network_headers"] is not False,
        structured_content=bool(values["structured_content"]),
        data_format=values["data_format"],
        max_reply_chars=values["max_reply_chars"] or MAX_REPLY_CHARS,
        slim=bool(values["slim"]),
        vision=bool(values["vision"]),
        webmcp_passthrough=bool(values["webmcp_passthrough"]),
        screenshot_format=values["screenshot_format"],
        screenshot_quality=values["screenshot_quality"],
        screenshot_max_width=values["screenshot_max_width"],
        screenshot_max_height=values["screenshot_max_height"],
        categories=categories,
        log_file=values["log_file"],
        verbose=bool(values["verbose"]),
    )
    given = frozenset(name for name in _COMMAND_FLAGS.get(canonical.command, ()) if values[_dest(name)])
    return Invocation(canonical.command, options, given, tuple(canonical.notices))


# -- other spellings into ours -------------------------------------------------------------------------


def _canonical(arguments: Sequence[str]) -> _Canonical:
    out = _Canonical()
    rest = list(arguments)
    while rest:
        token = rest.pop(0)
        if token in ("-h", "--help", "--version"):
            out.tokens.append(token)
        elif token.startswith("-") and token != "-":
            _flag(token, rest, out)
        elif token in COMMANDS and not out.command:
            out.command = token
        else:
            known = ", ".join(COMMANDS)
            raise InvalidInput(
                f"There is no command {token!r}.", f"{_nearest(token, COMMANDS)}The commands are: {known}."
            )
    return out


def _flag(token: str, rest: list[str], out: _Canonical) -> None:
    spelled, equals, value = token.partition("=")
    name = _SHORT.get(spelled) or _our_name(spelled)
    negated = False
    if name.startswith("no-") and not _is_known(name, out.command):
        name, negated = _our_name("--" + name[3:]), True
    if name in _NOT_HERE:
        takes_value, why = _NOT_HERE[name]
        if not equals and rest and (takes_value or rest[0] in ("true", "false")):
            rest.pop(0)
        out.notices.append(f"{spelled} has no effect" + (f": {why}." if why else " in this version."))
        return
    if name in _VALUES:
        _value_of(name, token, negated, rest, out)
        return
    flag = _BY_NAME.get(name)
    switch = name.startswith("category-") or (flag is not None and flag.kind == "switch") or flag is None
    if not _is_known(name, out.command):
        raise _unknown(spelled, f"no-{name}" if negated else name, out.command)
    if not switch:
        if negated:
            raise InvalidInput(f"{spelled} does not exist: --{name} takes a value.")
        if not equals:
            if not rest:
                raise InvalidInput(f"{spelled} needs a value.")
            value = rest.pop(0)
        out.tokens.append(f"--{name}={value}")
        return
    if not equals and rest and rest[0] in ("true", "false"):
        value, equals = rest.pop(0), "="
    if equals:
        if value not in ("true", "false"):
            raise InvalidInput(f"{spelled} is on or off: it takes no value {value!r}.")
        negated ^= value == "false"
    negatable = name.startswith("category-") or (flag is not None and flag.negatable)
    if not negated:
        out.tokens.append(f"--{name}")
    elif negatable:
        out.tokens.append(f"--no-{name}")
    # Off is what the others are without being named.


def _value_of(name: str, token: str, negated: bool, rest: list[str], out: _Canonical) -> None:
    """A switch that stands for a value: ``--experimentalToonFormat`` is our ``--data-format=toon``."""
    spelled, equals, word = token.partition("=")
    if not equals and rest and rest[0] in ("true", "false"):
        word = rest.pop(0)
    if word not in ("", "true", "false"):
        raise InvalidInput(f"{spelled} is on or off: it takes no value {word!r}.")
    if negated ^ (word != "false"):
        out.tokens.append("--{}={}".format(*_VALUES[name]))


def _our_name(spelled: str) -> str:
    """``--categoryExperimentalWebmcp`` and ``--category-experimental-webmcp`` are our ``category-webmcp``."""
    name = re.sub(r"(?<=[a-z0-9])([A-Z])", r"-\1", spelled.lstrip("-")).lower()
    prefix = "no-" if name.startswith("no-") else ""
    name = name.removeprefix("no-").removeprefix("experimental-").replace("category-experimental-", "category-", 1)
    return prefix + _RENAMED.get(name, name)


def _is_known(name: str, command: str) -> bool:
    return (
        name in _BY_NAME
        or name in _COMMAND_FLAGS.get(command, ())
        or (name.startswith("category-") and name.removeprefix("category-") in CATEGORY_NAMES)
    )


def _unknown(spelled: str, name: str, command: str) -> InvalidInput:
    for other, flags in _COMMAND_FLAGS.items():
        if name in flags and other != command:
            return InvalidInput(f"{spelled} belongs to `pagelens {other}`.", f"Write it after `{other}`.")
    names = [*_BY_NAME, *_COMMAND_FLAGS.get(command, ()), *(f"category-{name}" for name in CATEGORY_NAMES)]
    return InvalidInput(
        f"There is no flag {spelled}.",
        _nearest(name, [f"no-{known}" for known in names] if name.startswith("no-") else names, "--")
        + "See pagelens --help.",
    )


def _headers(text: str) -> dict[str, str]:
    """The value of ``--ws-headers``. Its values may be secrets: no message shows them."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"--ws-headers is no JSON: {getattr(error, 'msg', 'too deep')}.", _HEADERS_LOOK) from None
    if not isinstance(found, dict) or not all(isinstance(value, str) for value in found.values()):
        raise InvalidInput("--ws-headers is no JSON object of strings.", _HEADERS_LOOK)
    for name, value in found.items():
        if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name) or _RESERVED_HEADERS.fullmatch(name):
            raise InvalidInput(f"--ws-headers: {name!r} can't be set.", _HEADERS_LOOK)
        if not value.isascii() or not (value.isprintable() or value == ""):
            raise InvalidInput(f"--ws-headers: the value of {name!r} has characters that no header can have.")
    return found


def _nearest(word: str, known: Iterable[str], prefix: str = "") -> str:
    close = difflib.get_close_matches(word, list(known), 1, 0.6)
    return f"Did you mean {prefix}{close[0]}? " if close else ""


def _check_contradictions(tokens: Sequence[str]) -> None:
    given = {token.split("=", 1)[0].removeprefix("--") for token in tokens}
    pairs = [*_CONTRADICTIONS, *((name, f"no-{name}") for name in given)]
    for one, other in pairs:
        if one in given and other in given:
            raise InvalidInput(f"--{one} and --{other} contradict each other.", "Leave one out.")
    for flag, _ in _VALUES.values():
        values = sorted({token for token in tokens if token.startswith(f"--{flag}=")})
        if len(values) > 1:
            raise InvalidInput(f"{' and '.join(values)} contradict each other.", "Leave one out.")


# -- our spelling into values --------------------------------------------------------------------------


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise InvalidInput(message[:1].upper() + message[1:] + ".", "See pagelens --help.")


def _parser(command: str) -> _Parser:
    if command:
        usage = f"pagelens {command} [flags]"
        description = COMMANDS[command][:1].upper() + COMMANDS[command][1:] + "."
        epilog = ""
    else:
        usage = "pagelens [flags]\n       pagelens COMMAND [flags]"
        description = _DESCRIPTION
        width = max(map(len, COMMANDS))
        epilog = "commands:\n" + "".join(f"  {name:<{width}}  {what}\n" for name, what in COMMANDS.items())
        epilog += (
            "\ncamelCase spellings (--userDataDir) and --experimental… ones are understood too.\n"
            "The browser can also be named by the environment variable PAGELENS_EXECUTABLE_PATH, credentials by\n"
            "PAGELENS_HTTP_CREDENTIALS: there they are not in the list of processes."
        )
    parser = _Parser(
        prog="pagelens",
        usage=usage,
        description=description,
        epilog=epilog,
        formatter_class=lambda prog: argparse.RawDescriptionHelpFormatter(prog, max_help_position=34, width=118),
        allow_abbrev=False,
        add_help=False,
    )
    if command in _COMMAND_FLAGS:
        own = parser.add_argument_group(f"of {command}")
        for name, text in _COMMAND_FLAGS[command].items():
            own.add_argument(f"--{name}", action="store_true", help=text)
    groups: dict[str, argparse._ArgumentGroup] = {}
    for flag in _FLAGS:
        if flag.group not in groups:
            groups[flag.group] = parser.add_argument_group(flag.group, _GROUP_NOTES.get(flag.group))
        group = groups[flag.group]
        group.add_argument(*_spellings(flag), **_settings(flag))
    for name in CATEGORY_NAMES:
        # One line for all of them, in the group's description.
        groups[_SERVED].add_argument(
            f"--category-{name}", action=argparse.BooleanOptionalAction, default=None, help=argparse.SUPPRESS
        )
    groups[_COMMON].add_argument("-h", "--help", action="help", help="show this and end")
    groups[_COMMON].add_argument(
        "--version", action="version", version=f"pagelens {__version__}", help="show it and end"
    )
    return parser


def _spellings(flag: _Flag) -> list[str]:
    return [*(short for short, name in _SHORT.items() if name == flag.name), f"--{flag.name}"]


def _settings(flag: _Flag) -> dict[str, Any]:
    settings: dict[str, Any] = {"help": flag.help, "default": None}
    if flag.kind == "switch":
        settings["action"] = argparse.BooleanOptionalAction if flag.negatable else "store_true"
        return settings
    settings["metavar"] = flag.metavar
    if flag.kind == "list":
        settings["action"] = "append"
    if flag.choices:
        settings["choices"] = flag.choices
    if flag.name == "viewport":
        settings["type"] = _viewport
    if flag.name in _NUMBERS:
        settings["type"] = _number(*_NUMBERS[flag.name])
    return settings


def _viewport(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,5})\s*[xX×,]\s*(\d{1,5})", text.strip())
    if match is None or not all(1 <= int(side) <= 10_000 for side in match.groups()):
        raise argparse.ArgumentTypeError(f"{text!r} is no size: width and height of 1 to 10000, as in 1280x720")
    return int(match[1]), int(match[2])


def _number(least: int, most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not re.fullmatch(r"\d{1,9}", text.strip()) or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number from {least} to {most}")
        return int(text)

    return read


def _dest(name: str) -> str:
    return name.replace("-", "_")
