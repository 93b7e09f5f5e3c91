"""The command line: every spelling, every contradiction, every mistake."""

from __future__ import annotations

from typing import Any

import pytest

from pagelens.cli.flags import CATEGORY_NAMES, COMMANDS, parse
from pagelens.core.options import Options
from pagelens.errors import InvalidInput
from pagelens.tools.categories import CATEGORIES


def options(*arguments: str) -> Options:
    return parse(arguments).options


def test_nothing_given_is_the_server_with_all_defaults() -> None:
    invocation = parse([])
    assert invocation.command == ""
    assert invocation.options == Options(categories={})
    assert invocation.notices == ()


@pytest.mark.parametrize(
    ("arguments", "name", "value"),
    [
        ("--executable-path /x", "executable_path", "/x"),
        ("--executablePath=/x", "executable_path", "/x"),
        ("-e /x", "executable_path", "/x"),
        ("--channel beta", "channel", "beta"),
        ("--headless", "headless", True),
        ("--headless=true", "headless", True),
        ("--headless true", "headless", True),
        ("--headless=false", "headless", False),
        ("--headless false", "headless", False),
        ("--no-headless", "headless", False),
        ("--browser-url http://127.0.0.1:9222", "browser_url", "http://127.0.0.1:9222"),
        ("--browserUrl=http://[::1]:9222/", "browser_url", "http://[::1]:9222/"),
        ("-u http://chrome.test:9222", "browser_url", "http://chrome.test:9222"),
        ("--ws-endpoint ws://127.0.0.1:1/devtools/browser/a", "ws_endpoint", "ws://127.0.0.1:1/devtools/browser/a"),
        ("-w wss://far.test/?token=a", "ws_endpoint", "wss://far.test/?token=a"),
        ('--ws-endpoint ws://h:1/ --wsHeaders={"X-A":"b"}', "ws_headers", {"X-A": "b"}),
        ("--autoConnect", "auto_connect", True),
        ("--auto-connect --channel beta", "channel", "beta"),
        ("--auto-connect --user-data-dir /p", "user_data_dir", "/p"),
        ("--isolated", "isolated", True),
        ("--isolated=true", "isolated", True),
        ("--isolated=false", "isolated", False),
        ("--no-isolated", "isolated", False),
        ("--user-data-dir ~/p", "user_data_dir", "~/p"),
        ("--userDataDir ~/p", "user_data_dir", "~/p"),
        ("--viewport 1280x720", "viewport", (1280, 720)),
        ("--viewport=800X600", "viewport", (800, 600)),
        ("--proxyServer socks5://h:1", "proxy_server", "socks5://h:1"),
        ("--acceptInsecureCerts", "accept_insecure_certs", True),
        ("--chrome-arg=--a --chromeArg --b=1 --chrome-arg c", "chrome_args", ("--a", "--b=1", "c")),
        ("--ignoreDefaultChromeArg --mute-audio", "ignore_default_chrome_args", ("--mute-audio",)),
        ("--workspace /a --workspace=/b", "workspaces", ("/a", "/b")),
        ("--allowUnrestrictedPaths", "unrestricted_paths", True),
        ("--no-file-navigations", "file_navigations", False),
        ("--fileNavigations=false", "file_navigations", False),
        (
            "--allowedUrlPattern https://a/* --allowed-url-pattern=*://b/*",
            "allowed_url_patterns",
            ("https://a/*", "*://b/*"),
        ),
        ("--blockedUrlPattern https://a/*", "blocked_url_patterns", ("https://a/*",)),
        ("--no-javascript-evaluation", "javascript_evaluation", False),
        ("--http-credentials https://u:p@h", "http_credentials", ("https://u:p@h",)),
        ("--no-page-id-routing", "page_id_routing", False),
        ("--experimentalPageIdRouting", "page_id_routing", True),
        ("--no-experimental-page-id-routing", "page_id_routing", False),
        ("--structured-content", "structured_content", True),
        ("--experimentalStructuredContent", "structured_content", True),
        ("--experimental-structured-content=false", "structured_content", False),
        ("--category-webmcp", "categories", {"webmcp": True}),
        ("--webmcp-passthrough", "categories", {"webmcp": True}),
        ("--webmcpPassthrough", "webmcp_passthrough", True),
        ("--categoryExperimentalWebmcp", "categories", {"webmcp": True}),
        ("--category-experimental-third-party", "categories", {"third-party": True}),
        ("--no-category-network --categoryEmulation=false", "categories", {"network": False, "emulation": False}),
        ("--no-categoryPerformance", "categories", {"performance": False}),
        ("--memoryDebugging", "categories", {"memory": True}),
        ("--experimentalMemory", "categories", {"memory": True}),
        ("--logFile /tmp/l", "log_file", "/tmp/l"),
        ("--verbose", "verbose", True),
    ],
)
def test_spellings(arguments: str, name: str, value: Any) -> None:
    assert getattr(options(*arguments.split()), name) == value


def test_a_value_that_looks_like_a_flag_is_a_value() -> None:
    assert options("--chrome-arg", "--isolated").chrome_args == ("--isolated",)
    assert options("--chrome-arg=--a=b c").chrome_args == ("--a=b c",)


@pytest.mark.parametrize("command", COMMANDS)
def test_flags_before_and_after_the_command(command: str) -> None:
    for arguments in (["--isolated", command], [command, "--isolated"]):
        invocation = parse(arguments)
        assert invocation.command == command
        assert invocation.options.isolated


def test_a_commands_own_flags() -> None:
    assert parse(["tools", "--json"]).command_flags == {"json"}
    assert parse(["tools"]).command_flags == frozenset()
    assert parse(["install-browser", "--dryRun"]).command_flags == {"dry-run"}
    with pytest.raises(InvalidInput, match="pagelens tools"):
        parse(["--json"])


@pytest.mark.parametrize(
    "arguments",
    [
        "--usageStatistics=false",
        "--no-usage-statistics",
        "--no-performance-crux",
        "--experimental-devtools true",
        "--experimentalFfmpegPath /usr/bin/ffmpeg",
    ],
)
def test_flags_for_what_is_not_here_are_accepted_with_one_line(arguments: str) -> None:
    invocation = parse([*arguments.split(), "--isolated"])
    assert invocation.options == Options(isolated=True, categories={})
    assert len(invocation.notices) == 1
    assert arguments.split("=")[0].split()[0] in invocation.notices[0]
    assert "no effect" in invocation.notices[0]


def test_screenshots_and_slim() -> None:
    made = options("--slim", "--screenshotFormat", "jpeg", "--screenshot-quality=70", "--screenshotMaxWidth", "800")
    assert (made.slim, made.screenshot_format, made.screenshot_quality) == (True, "jpeg", 70)
    assert (made.screenshot_max_width, made.screenshot_max_height) == (800, None)
    for wrong in ("--screenshot-format=gif", "--screenshot-quality=101", "--screenshot-max-height=0", "--slim=7"):
        with pytest.raises(InvalidInput):
            options(wrong)


@pytest.mark.parametrize(
    ("arguments", "chosen"),
    [
        ("", None),
        ("--data-format gcf", "gcf"),
        ("--experimentalDataFormat=toon", "toon"),
        ("--experimentalToonFormat", "toon"),
        ("--experimental-toon-format true", "toon"),
        ("--toonFormat=false", None),
        ("--no-experimental-toon-format", None),
        ("--no-toon-format=false", "toon"),
        ("--toon-format --data-format=toon", "toon"),
    ],
)
def test_data_formats(arguments: str, chosen: str | None) -> None:
    assert options(*arguments.split()).data_format == chosen


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("--data-format=xml", "toon"),
        ("--experimentalToonFormat --data-format gcf", "contradict"),
        ("--data-format gcf --experimentalToonFormat", "contradict"),
        ("--toonFormat=7", "on or off"),
        ("--max-reply-chars=9999", "10000"),
        ("--max-reply-chars=many", "whole number"),
    ],
)
def test_data_formats_and_budgets_that_can_t_be_right(arguments: str, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        parse(arguments.split())


def test_the_budget_of_replies() -> None:
    assert options().max_reply_chars == 50_000
    assert options("--max-reply-chars=10000").max_reply_chars == 10_000
    assert options("--maxReplyChars", "100000000").max_reply_chars == 100_000_000


def test_secret_headers_are_left_out_unless_the_user_says_so() -> None:
    assert options().redact_network_headers
    assert options("--redactNetworkHeaders").redact_network_headers
    assert not options("--no-redact-network-headers").redact_network_headers


def test_credentials_may_come_by_the_environment_and_are_not_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGELENS_HTTP_CREDENTIALS", "https://env:hush@h http://second:hush@proxy:3128")
    made = options("--http-credentials", "https://u:hush@i")
    assert made.http_credentials == ("https://u:hush@i", "https://env:hush@h", "http://second:hush@proxy:3128")
    assert "hush" not in repr(made)


def test_their_negation_promises_nothing() -> None:
    assert parse(["--no-redact-network-headers", "--no-auto-connect"]).notices == ()


@pytest.mark.parametrize(
    ("arguments", "one", "other"),
    [
        ("--isolated --user-data-dir /x", "--isolated", "--user-data-dir"),
        ("--executablePath /x --channel beta", "--executable-path", "--channel"),
        ("--headless --no-headless", "--headless", "--no-headless"),
        ("--allowUnrestrictedPaths --workspace=/tmp", "--workspace", "--allow-unrestricted-paths"),
        ("--browser-url http://h:1 --ws-endpoint ws://h:1", "--browser-url", "--ws-endpoint"),
        ("--browser-url http://h:1 --auto-connect", "--browser-url", "--auto-connect"),
        ("--browser-url=http://h:1 --isolated", "--browser-url", "--isolated"),
        ("--browser-url=http://h:1 --user-data-dir=/p", "--browser-url", "--user-data-dir"),
        ("--ws-endpoint=ws://h:1 --channel=beta", "--ws-endpoint", "--channel"),
        ("--auto-connect --executable-path=/x", "--auto-connect", "--executable-path"),
        ("--auto-connect --no-headless", "--auto-connect", "--no-headless"),
        ("--auto-connect --chrome-arg=--lang=de", "--auto-connect", "--chrome-arg"),
        ("--category-network --no-category-network", "--category-network", "--no-category-network"),
        ("--webmcp-passthrough --slim", "--webmcp-passthrough", "--slim"),
        ("--webmcp-passthrough --no-category-webmcp", "--webmcp-passthrough", "--no-category-webmcp"),
    ],
)
def test_contradictions_name_both(arguments: str, one: str, other: str) -> None:
    turned = arguments.split()[::-1]
    for given in (arguments.split(), turned if all(a.startswith("--") for a in turned) else arguments.split()):
        with pytest.raises(InvalidInput, match="contradict") as caught:
            parse(given)
        assert one in caught.value.message
        assert other in caught.value.message


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--vieport", "3x3"], "Did you mean --viewport"),
        (["--user-datadir=x"], "Did you mean --user-data-dir"),
        (["--category-netwrk"], "Did you mean --category-network"),
        (["--no-category-netwrk"], "Did you mean --no-category-network"),
        (["--zzzzzz"], "no flag --zzzzzz"),
        (["doctr"], "Did you mean doctor"),
        (["doctor", "tools"], "no command 'tools'"),
        (["--viewport", "0x1"], "1280x720"),
        (["--viewport", "wide"], "1280x720"),
        (["--viewport"], "needs a value"),
        (["--channel", "nightly"], "stable"),
        (["--headless=maybe"], "takes no value 'maybe'"),
        (["--no-viewport"], "takes a value"),
        (["--head"], "no flag --head"),
        (["--browser-url", "127.0.0.1:9222"], "http://127.0.0.1:9222"),
        (["--browser-url", "http://"], "is no address"),
        (["--browser-url", "http://h:99999"], "is no address"),
        (["--ws-endpoint", "http://h:1"], "ws://127.0.0.1:9222"),
        (["--ws-headers", "{}"], "without --ws-endpoint"),
        (["--ws-endpoint=ws://h:1", "--ws-headers", "X-A: b"], "no JSON"),
        (["--ws-endpoint=ws://h:1", "--ws-headers", "[1]"], "no JSON object of strings"),
        (["--ws-endpoint=ws://h:1", "--ws-headers", '{"a": 1}'], "no JSON object of strings"),
        (["--ws-endpoint=ws://h:1", "--ws-headers", '{"Host": "a"}'], "'Host' can't be set"),
        (["--ws-endpoint=ws://h:1", "--ws-headers", '{"a b": "a"}'], "'a b' can't be set"),
        (["--ws-endpoint=ws://h:1", "--ws-headers", '{"A": "b\\r\\nC: d"}'], "characters that no header"),
    ],
)
def test_mistakes_are_named(arguments: list[str], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        parse(arguments)


def test_the_categories_are_those_of_the_tools() -> None:
    assert set(CATEGORY_NAMES) == set(CATEGORIES)


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], *([command, "--help"] for command in COMMANDS)])
def test_help_names_every_flag(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        parse(arguments)
    assert caught.value.code == 0
    text = capsys.readouterr().out
    for flag in ("--executable-path", "--channel", "--isolated", "--chrome-arg", "--[no-]category-NAME", "--log-file"):
        assert flag in text
    if arguments[0].startswith("-"):
        for command, what in COMMANDS.items():
            assert command in text
            assert what in text
    assert max(map(len, text.splitlines())) <= 120


def test_a_headers_value_is_in_no_message() -> None:
    for headers in ('{"A": "s3cret"', '{"A": ["s3cret"]}', '{"A": "s3cret\\n"}', '{"Host": "s3cret"}'):
        with pytest.raises(InvalidInput) as caught:
            parse(["--ws-endpoint=ws://h:1", "--ws-headers", headers])
        assert "s3cret" not in str(caught.value)
