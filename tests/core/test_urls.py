"""Which addresses may be loaded: patterns, spellings, and what loads nothing."""

from __future__ import annotations

import pytest

from pagelens.core.credentials import origin_of, parse_credentials
from pagelens.core.options import Options
from pagelens.core.url_parts import UrlParts, parse_url
from pagelens.core.url_patterns import UrlPattern
from pagelens.core.urls import UrlPolicy, navigable, without_credentials
from pagelens.errors import InvalidInput, UrlNotAllowed

BLOCKED, ALLOWED = "blocked", "allowed"
BLOCKLIST = Options(
    blocked_url_patterns=(
        "*://evil.test/*",
        "https://*.evil.test/*",
        "http://127.0.0.1:9000/*",
        "*://site.test/private/*",
    )
)
ALLOWLIST = Options(
    allowed_url_patterns=("https://good.test/*", "https://*.good.test:*/docs/*"),
    blocked_url_patterns=("https://good.test/private/*",),
)

#: address, under BLOCKLIST, under ALLOWLIST
URLS = [
    ("https://good.test/", ALLOWED, ALLOWED),
    ("https://good.test", ALLOWED, ALLOWED),
    ("https://good.test:443/a?b#c", ALLOWED, ALLOWED),
    ("HTTPS://GOOD.TEST/", ALLOWED, ALLOWED),
    ("https://user:password@good.test/", ALLOWED, ALLOWED),
    ("wss://good.test/socket", ALLOWED, ALLOWED),
    ("https://a.good.test:8443/docs/x", ALLOWED, ALLOWED),
    ("https://a.good.test:8443/docs/../x", ALLOWED, BLOCKED),
    ("https://good.test/private/x", ALLOWED, BLOCKED),
    ("https://good.test/a/../private/x", ALLOWED, BLOCKED),
    ("https://good.test/a/%2e%2e/private/x", ALLOWED, BLOCKED),
    ("https://good.test\\private\\x", ALLOWED, BLOCKED),
    ("https://good.test./private/x", ALLOWED, BLOCKED),
    ("https://good.test./", ALLOWED, BLOCKED),
    ("http://good.test/", ALLOWED, BLOCKED),
    ("https://good.test:8080/", ALLOWED, BLOCKED),
    ("https://good.test.evil.test/", BLOCKED, BLOCKED),
    ("https://evil.test/", BLOCKED, BLOCKED),
    ("https://evil.test/?https://good.test/", BLOCKED, BLOCKED),
    ("https://good.test@evil.test/", BLOCKED, BLOCKED),
    ("https://good.test:x@evil.test/", BLOCKED, BLOCKED),
    ("https:/evil.test/", BLOCKED, BLOCKED),
    ("https:\\\\evil.test\\", BLOCKED, BLOCKED),
    ("https://EVIL.test", BLOCKED, BLOCKED),
    ("https://evil.test./", BLOCKED, BLOCKED),
    ("https://%65vil.test/", BLOCKED, BLOCKED),
    ("https://ｅvil.test/", BLOCKED, BLOCKED),
    ("https://evil。test/", BLOCKED, BLOCKED),
    ("\thttps://ev\nil.test/", BLOCKED, BLOCKED),
    ("wss://evil.test/", BLOCKED, BLOCKED),
    ("ws://x.evil.test/", ALLOWED, BLOCKED),
    ("wss://x.evil.test/", BLOCKED, BLOCKED),
    ("https://evil.test:444/", ALLOWED, BLOCKED),  # a pattern without a port means the usual one
    ("http://127.0.0.1:9000/", BLOCKED, BLOCKED),
    ("http://127.1:9000/", BLOCKED, BLOCKED),
    ("http://2130706433:9000/", BLOCKED, BLOCKED),
    ("http://0x7f.0.0.1:9000/", BLOCKED, BLOCKED),
    ("http://017700000001:9000/", BLOCKED, BLOCKED),
    ("http://127.0.0.1.:9000/", BLOCKED, BLOCKED),
    ("http://localhost:9000/", ALLOWED, BLOCKED),  # another name: patterns judge names, not where they lead
    ("view-source:https://evil.test/", BLOCKED, BLOCKED),
    ("VIEW-SOURCE:view-source:https://evil.test/", BLOCKED, BLOCKED),
    ("view-source:https://good.test/", ALLOWED, ALLOWED),
    ("http://site.test/private/", BLOCKED, BLOCKED),
    ("http://site.test/x/..//private/", ALLOWED, BLOCKED),
    ("https://evil.test:99999/", BLOCKED, BLOCKED),  # can't be read, so no rule could be applied
    ("https://exa mple.test/", BLOCKED, BLOCKED),
    ("about:blank", ALLOWED, ALLOWED),
    ("about:blank#x", ALLOWED, ALLOWED),
    ("about:srcdoc", ALLOWED, ALLOWED),
    ("data:text/html,x", ALLOWED, ALLOWED),
    ("blob:https://evil.test/uuid", ALLOWED, ALLOWED),
    ("javascript:1", ALLOWED, ALLOWED),
    ("about:settings", ALLOWED, BLOCKED),
    ("chrome://settings/", ALLOWED, BLOCKED),
    ("chrome-extension://abc/x", ALLOWED, BLOCKED),
    ("filesystem:https://good.test/x", ALLOWED, BLOCKED),
    ("ftp://good.test/", ALLOWED, BLOCKED),
    ("file:///etc/passwd", ALLOWED, BLOCKED),  # the file policy judges it where there is no allowlist
    ("mailto:a@b", ALLOWED, BLOCKED),
]


@pytest.mark.parametrize(("url", "blocklist", "allowlist"), URLS, ids=[repr(url) for url, *_ in URLS])
def test_address(url: str, blocklist: str, allowlist: str) -> None:
    for options, expected in ((BLOCKLIST, blocklist), (ALLOWLIST, allowlist)):
        policy = UrlPolicy(options)
        assert (policy.refusal(url) is not None) == (expected == BLOCKED), policy.refusal(url)
        if expected == BLOCKED:
            with pytest.raises(UrlNotAllowed, match="may not be loaded"):
                policy.check(url)
        assert UrlPolicy(Options()).refusal(url) is None


def test_a_refusal_names_the_rule_and_no_password() -> None:
    policy = UrlPolicy(BLOCKLIST)
    with pytest.raises(UrlNotAllowed) as caught:
        policy.check("https://user:hush@evil.test/")
    assert "--blocked-url-pattern *://evil.test/*" in caught.value.message
    assert "hush" not in str(caught.value)
    assert caught.value.code == "url_not_allowed"
    with pytest.raises(UrlNotAllowed, match=r"no --allowed-url-pattern: https://good\.test/\*"):
        UrlPolicy(ALLOWLIST).check("https://evil.test/")


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "JAVASCRIPT:alert(1)",
        " \x01javascript:alert(1)",
        "java\nscript:alert(1)",
        "java\tscript:alert(1)",
        "data:text/html,<script>1</script>",
        "vbscript:x",
        "view-source:javascript:1",
        "view-source: data:text/html,x",
    ],
)
def test_without_javascript_of_ones_own_no_address_runs_any(url: str) -> None:
    with pytest.raises(UrlNotAllowed, match="--no-javascript-evaluation"):
        UrlPolicy(Options(javascript_evaluation=False)).check_navigation(url)
    UrlPolicy(Options()).check_navigation(url)


@pytest.mark.parametrize("url", ["file:///x", "FILE:/x", "view-source:file:///x", "fi\tle:///x"])
def test_without_files_no_spelling_of_one_is_loaded(url: str) -> None:
    with pytest.raises(UrlNotAllowed, match="--no-file-navigations"):
        UrlPolicy(Options(file_navigations=False)).check_navigation(url)


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("", "empty"),
        (" https://a/*", "space"),
        ("example.com/*", "scheme"),
        ("*", "scheme"),
        ("/path", "scheme"),
        ("*.js", "scheme"),
        ("https:/*", "scheme and a host"),
        ("https:///x", "scheme and a host"),
        ("about:blank", "scheme"),
        ("file:///*", "--workspace"),
        ("data:*", "none of http"),
        ("chrome://settings/*", "none of http"),
        ("ftp://a/*", "none of http"),
        ("https://a/(x|y)", "regular expressions"),
        ("https://a/:id(\\d+)", "regular expressions"),
        ("http(s)?://a/*", "regular expressions"),
        (":scheme://a/*", "only in hosts and paths"),
        ("https://a/*\\?q=:v", "only in hosts and paths"),
        ("https://a:443*/:id\\?x=:y", "only in hosts and paths"),
        ("https://u:p@a/*", "user"),
        ("https://a/*#x", "fragment"),
        ("https://a/*#", "fragment"),
        ("https://[::1]/*", "stands alone"),
        ("https://a b/*", "host name"),
        ("https://a%62/*", "host name"),
        ("https://münchen.de/*", "ASCII"),
        ("https://a/ü", "ASCII"),
        ("https://10.*/*", "IP address"),
        ("https://127.1/*", "IP address"),
        ("https://*.1/*", "IP address"),
        ("https://0x7f.0.0.1/*", "IP address"),
        ("https://a/b/../c", ".."),
        ("https://a/%2e%2E/c", ".."),
        ("*://a:443/*", "usual port"),
        ("http{s}?://a:80/*", "usual port"),
        ("https://a:080/*", "no port"),
        ("https://a:70000/*", "no port"),
        ("https://a/{x", "not expected"),
        ("https://a/:x/:x", "twice"),
        ("https://a/" + "x" * 3000, "longer"),
    ],
)
def test_what_could_not_be_enforced_is_refused(pattern: str, why: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        UrlPattern(pattern)
    assert why in str(caught.value)


def test_rules_cover_sockets_and_the_other_spelling_of_the_host() -> None:
    assert UrlPattern("https://a.test/x").rules(any_spelling=False) == ["https://a.test/x", "wss://a.test/x"]
    assert UrlPattern("*://a.test/*").rules(any_spelling=True) == ["*://a.test/*", "*://a.test./*"]
    assert UrlPattern("ws://127.0.0.1:1").rules(any_spelling=True) == ["ws://127.0.0.1:1/*"]
    assert UrlPattern("http{s}?://*").rules(any_spelling=True) == ["http{s}?://*/*", "ws://*/*", "wss://*/*"]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("http://a:80/b?c#d", UrlParts("http", "a", "", "/b", "c")),
        ("https://A:0443", UrlParts("https", "a", "", "/")),
        ("http://[0:0::1]:8/", UrlParts("http", "[::1]", "8", "/")),
        ("http://[::ffff:127.0.0.1]/", UrlParts("http", "[::ffff:7f00:1]", "", "/")),
        ("http://a/./b/../c/.", UrlParts("http", "a", "", "/c/")),
        ("http://a/ü ?ü", UrlParts("http", "a", "", "/%C3%BC%20", "%C3%BC")),
        ("data:text/html,x?y#z", UrlParts("data", path="text/html,x?y")),
    ],
)
def test_addresses_are_taken_apart(text: str, parts: UrlParts) -> None:
    assert parse_url(text) == parts


@pytest.mark.parametrize(
    "text",
    ["", "x", "//a", "http://", "http:///", "http://a:b/", "http://a:1:2/", "http://[::g]/", "http://1.2.3.4.5/"],
)
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        parse_url(text)


def test_an_address_may_be_written_shortly() -> None:
    assert navigable(" example.com/x ") == "https://example.com/x"
    assert navigable("localhost:8080") == "http://localhost:8080"
    assert navigable("java\nscript:f(1)") == "javascript:f(1)"
    with pytest.raises(InvalidInput):
        navigable("https://")
    assert without_credentials("https://u:p@h/a@b") == "https://h/a@b"
    assert without_credentials("https://h/?a@b") == "https://h/?a@b"


def test_credentials_are_bound_to_an_origin_and_never_printed() -> None:
    found = parse_credentials("https://us%40er:p%3Ass@Example.COM:443/ignored")
    assert (found.origin, found.user, found.password) == ("https://example.com", "us@er", "p:ss")
    assert "us@er" not in repr(found)
    assert "p:ss" not in repr(found)
    assert origin_of("http://h:8080/x") == "http://h:8080"
    for wrong in ("user:hush@host", "https://host", "https://hush@host", "ftp://u:hush@h", "https://u:hush@", "u:hush"):
        with pytest.raises(InvalidInput) as caught:
            parse_credentials(wrong)
        assert "hush" not in str(caught.value)
