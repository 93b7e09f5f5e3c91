"""Issues in words and JSON: every code of the protocol, every reason, and whatever else may come."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest

from pagelens.browser.page import Page
from pagelens.cdp.session import Session
from pagelens.collectors.console_collector import ConsoleCollector
from pagelens.collectors.ids import IdCounter
from pagelens.collectors.issue_texts import KNOWN_CODES, issue_text
from pagelens.collectors.issues import IssueMessage
from pagelens.context.console_details import ConsoleDetails
from pagelens.response.formatters.console import fold
from pagelens.response.formatters.issue import IssueFormatter, formatter_of
from tests.collectors.fakes import FakePage, FakeSession
from tests.support.protocol import fetch_protocol

COOKIE = {
    "cookie": {"name": "a", "path": "/", "domain": "x"},
    "cookieWarningReasons": [],
    "cookieExclusionReasons": ["ExcludeSameSiteNoneInsecure"],
    "operation": "SetCookie",
    "request": {"requestId": "R1", "url": "http://x/api"},
}


def recorded() -> tuple[FakePage, FakeSession, ConsoleCollector]:
    page = FakePage()
    console = ConsoleCollector(cast(Page, page), IdCounter())
    return page, page.attach(), console


def report(session: FakeSession, code: str, details: dict[str, Any]) -> None:
    name = code[:1].lower() + code[1:] + "Details"
    session.emit("Audits.issueAdded", issue={"code": code, "details": {name: details}})


def issues(console: ConsoleCollector, preserved: bool = False) -> list[IssueMessage]:
    return [message for message in console.get_data(preserved) if isinstance(message, IssueMessage)]


# -- every code ----------------------------------------------------------------------------------------


class Samples:
    """Details as the protocol describes them, each enum value once."""

    def __init__(self, protocol: dict[str, Any]) -> None:
        self._types = {
            f"{domain['domain']}.{kind['id']}": kind
            for domain in protocol["domains"]
            for kind in domain.get("types", ())
        }
        self.codes: list[str] = self._types["Audits.InspectorIssueCode"]["enum"]

    def of(self, code: str) -> list[dict[str, Any]]:
        """Details for an issue of this code: for each value of each enum in them one, and one with nothing optional."""
        members = self._types["Audits.InspectorIssueDetails"]["properties"]
        wanted = code.lower() + "details"
        kind = next(m["$ref"] for m in members if m["name"].lower() == wanted)
        properties = self._types[f"Audits.{kind}"]["properties"]
        whole = {item["name"]: self._values(item, "Audits")[0] for item in properties}
        found = [whole, {item["name"]: whole[item["name"]] for item in properties if not item.get("optional")}]
        for item in properties:
            found += [{**whole, item["name"]: value} for value in self._values(item, "Audits")[1:]]
        return found

    def _values(self, item: dict[str, Any], domain: str, depth: int = 0) -> list[Any]:
        if reference := item.get("$ref"):
            full = reference if "." in reference else f"{domain}.{reference}"
            return self._values(self._types[full], full.partition(".")[0], depth)
        if "enum" in item:
            return list(item["enum"])
        if item["type"] == "object":
            # A stack trace has another one as its parent.
            properties = [one for one in item.get("properties", []) if depth < 3 or not one.get("optional")]
            values = {one["name"]: self._values(one, domain, depth + 1) for one in properties}
            whole = {name: found[0] for name, found in values.items()}
            return [whole, *({**whole, name: value} for name, found in values.items() for value in found[1:])]
        if item["type"] == "array":
            return [[value] for value in self._values(item["items"], domain, depth + 1)]
        return {
            "string": ["http://x/thing"],
            "integer": [7],
            "number": [0.5],
            "boolean": [False, True],
            "any": [None],
        }[item["type"]]


@pytest.fixture(scope="module")
def samples(pytestconfig: pytest.Config) -> Samples:
    return Samples(fetch_protocol(Path(pytestconfig.cache.mkdir("protocol"))))


def test_every_code_and_reason_of_the_running_chrome_is_put_into_words(samples: Samples) -> None:
    assert len(samples.codes) > 25
    for code in samples.codes:
        for details in samples.of(code):
            _, session, console = recorded()
            report(session, code, details)
            (message,) = issues(console)
            formatter = IssueFormatter(message, ConsoleDetails())
            text = issue_text(code, details)
            assert len(text.title) > 15, (code, details)
            assert text.title == text.title.strip().rstrip("."), (code, text.title)
            assert formatter.to_string().startswith(f"msgid={message.id} [issue] {text.title[:200]}"), (code, details)
            assert "\n" not in formatter.to_string()
            row = formatter.to_row()
            assert row["type"] == "issue"
            assert row["text"]
            assert formatter.to_json_detailed().items() >= formatter.to_json().items()
            json.dumps(formatter.to_json_detailed())
            detailed = formatter.to_string_detailed()
            assert code in detailed
            assert "Found in" in detailed
            assert "Details" in detailed


def test_the_codes_of_the_running_chrome_all_have_texts_of_ours(samples: Samples) -> None:
    assert set(samples.codes) <= KNOWN_CODES, "a new one is shown all the same, but deserves a text"


@pytest.mark.parametrize(
    ("code", "type_name", "field"),
    [
        ("CookieIssue", "CookieExclusionReason", "cookieExclusionReasons"),
        ("CookieIssue", "CookieWarningReason", "cookieWarningReasons"),
        ("CorsIssue", "Network.CorsError", "corsErrorStatus"),
        ("GenericIssue", "GenericIssueErrorType", "errorType"),
        ("ContentSecurityPolicyIssue", "ContentSecurityPolicyViolationType", "contentSecurityPolicyViolationType"),
        ("BlockedByResponseIssue", "BlockedByResponseReason", "reason"),
        ("ElementAccessibilityIssue", "ElementAccessibilityIssueReason", "elementAccessibilityIssueReason"),
        ("PropertyRuleIssue", "PropertyRuleIssueReason", "propertyRuleIssueReason"),
    ],
)
def test_the_usual_reasons_say_what_helps(samples: Samples, code: str, type_name: str, field: str) -> None:
    full = type_name if "." in type_name else f"Audits.{type_name}"
    for name in samples._types[full]["enum"]:
        value: Any = [name] if field.endswith("Reasons") else {"corsError": name} if code == "CorsIssue" else name
        assert len(issue_text(code, {field: value}).explanation) > 10, name


@pytest.mark.parametrize(
    "details",
    [
        {},
        {"reason": "SomethingNewHappened", "request": {"requestId": "R", "url": "http://x/"}},
        {"violatingNodeId": "no number", "sourceCodeLocation": [1], "request": "R", "frame": None},
        {"deep": {"deeper": [{"a": "b\n\u202ec\ud800"}]}, "errorType": 5},
    ],
)
@pytest.mark.parametrize("code", ["BrandNewIssue", "CookieIssue", "GenericIssue", "CorsIssue", "", "x\n## Forged"])
def test_what_nobody_has_described_is_listed_all_the_same(code: str, details: dict[str, Any]) -> None:
    _, session, console = recorded()
    report(session, code, details)
    report(session, code, {**details, "another": 1})
    (message,) = issues(console)
    formatter = IssueFormatter(message, ConsoleDetails())
    assert "(x2)" in formatter.to_string() or len(issues(console)) == 2
    assert "\n" not in formatter.to_string()
    detailed = formatter.to_string_detailed()
    detailed.encode()
    json.dumps(formatter.to_json_detailed()).encode()
    assert "\n## Forged" not in detailed
    if code == "BrandNewIssue":
        assert "Brand new" in formatter.to_string()
        assert "BrandNewIssue, which pagelens has no text for" in detailed
    if "reason" in details and code == "BrandNewIssue":
        assert "something new happened" in formatter.to_string()
        assert '"SomethingNewHappened"' in detailed


def test_an_event_without_any_shape_costs_nothing() -> None:
    _, session, console = recorded()
    session.emit("Audits.issueAdded", issue={"code": "CookieIssue", "details": {}})
    session.emit("Audits.issueAdded")
    assert [m.type for m in console.get_data()] == ["issue", "issue"]


# -- groups --------------------------------------------------------------------------------------------


def test_one_record_for_each_kind_and_repeats_count_once() -> None:
    page, session, console = recorded()
    for node in (5, 6, 5, 5, 6):
        report(session, "GenericIssue", {"errorType": "FormInputWithNoLabelError", "violatingNodeId": node})
    report(session, "GenericIssue", {"errorType": "FormDuplicateIdForInputError", "violatingNodeId": 5})
    # The same number in another process is another element.
    report(
        page.attach("iframe", id="s2", target_id="t2"),
        "GenericIssue",
        {"errorType": "FormInputWithNoLabelError", "violatingNodeId": 5},
    )
    first, second = issues(console)
    assert (first.id, first.issue.count, second.issue.count) == (1, 3, 1)
    assert len(fold(console.get_data())) == 2
    assert formatter_of(first).to_json()["count"] == 3
    assert "count" not in formatter_of(second).to_json()


def test_an_issue_is_never_folded_with_another() -> None:
    _, session, console = recorded()
    for reason in ("ExcludeSameSiteNoneInsecure", "ExcludeSameSiteLax"):
        report(session, "CookieIssue", {**COOKIE, "cookieExclusionReasons": [reason]})
    a, b = issues(console)
    assert a.fold_key != b.fold_key


def test_a_navigation_begins_anew_and_takes_along_what_concerns_its_own_request() -> None:
    page, session, console = recorded()
    page.navigate("A")
    report(session, "CookieIssue", COOKIE)
    report(session, "QuirksModeIssue", {"isLimitedQuirksMode": False, "documentNodeId": 1})
    session.emit("Page.frameStartedNavigating", frameId="main", loaderId="B", url="http://x/b", navigationType="x")
    # Of the next document: one that joins an issue of the old one, and one of its own.
    report(session, "CookieIssue", {**COOKIE, "request": {"requestId": "B", "url": "http://x/b"}})
    report(
        session,
        "CookieIssue",
        {
            **COOKIE,
            "cookieExclusionReasons": ["ExcludeSameSiteLax"],
            "request": {"requestId": "B", "url": "http://x/b"},
        },
    )
    entry = {"source": "network", "level": "error", "text": "404", "timestamp": 1.0, "networkRequestId": "B"}
    session.emit("Log.entryAdded", entry=entry)
    old = [(m.id, m.issue.kind, m.issue.count) for m in issues(console)]
    assert [kind for _, kind, _ in old] == [
        "SetCookie ExcludeSameSiteNoneInsecure",
        "False",
        "SetCookie ExcludeSameSiteLax",
    ]
    assert old[0][2] == 2
    page.navigate("B")
    now = console.get_data()
    assert [(m.type, m.id) for m in now] == [("issue", 3), ("error", 4), ("issue", 5)]
    assert [(m.issue.kind, m.issue.count) for m in issues(console)] == [
        ("SetCookie ExcludeSameSiteLax", 1),
        ("SetCookie ExcludeSameSiteNoneInsecure", 1),
    ]
    assert [m.id for m in console.get_data(True)] == [1, 2, 3, 4, 5]
    assert issues(console, True)[0].issue.count == 1
    report(session, "QuirksModeIssue", {"isLimitedQuirksMode": False, "documentNodeId": 9})
    assert len(issues(console)) == 3


def test_very_many_stay_bounded() -> None:
    _, session, console = recorded()
    for number in range(1_500):
        report(session, "DeprecationIssue", {"type": f"Thing{number % 700}", "n": number, "text": "x" * 50_000})
    found = issues(console)
    assert len(found) == 500
    for number in range(1_200):
        report(session, "CookieIssue", {**COOKIE, "request": {"requestId": str(number), "url": "http://x/"}})
    assert len(issues(console)) == 500
    _, session, console = recorded()
    for number in range(1_200):
        report(session, "CookieIssue", {**COOKIE, "request": {"requestId": str(number), "url": "http://x/"}})
    (message,) = issues(console)
    assert message.issue.count == 1_000
    assert len(message.issue.occurrences) == 50
    assert "(x1000 or more)" in IssueFormatter(message).to_string_detailed()
    assert message.weight < 100_000


# -- words ---------------------------------------------------------------------------------------------


def test_in_full() -> None:
    _, session, console = recorded()
    report(session, "CookieIssue", COOKIE)
    report(session, "CookieIssue", {**COOKIE, "cookie": {"name": "b\n\u202e", "path": "/", "domain": "x"}})
    (message,) = issues(console)
    details = ConsoleDetails(requests={"R1": 12})
    lines = IssueFormatter(message, details).to_string_detailed().split("\n")
    assert lines[:4] == [
        "msgid=1 [issue] CookieIssue (x2)",
        "  Cookie not stored: SameSite=None needs Secure",
        "  Set it with Secure as well, over https; or with SameSite=Lax if no other site needs it.",
        "Read on: https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/Set-Cookie",
    ]
    assert lines[4].startswith("time: ")
    assert lines[5:8] == [
        "Found in:",
        "  1. a; request reqid=12 http://x/api",
        "  2. b; request reqid=12 http://x/api",
    ]
    assert lines[8].startswith('Details of the first: {"cookie": {"name": "a"')
    found = IssueFormatter(message, details).to_json_detailed()
    assert found["occurrences"][0]["requestId"] == 12
    assert found["occurrences"][1]["subject"] == "b"
    assert (found["issueCode"], found["kind"]) == ("CookieIssue", "SetCookie ExcludeSameSiteNoneInsecure")
    assert message.text == "Cookie not stored: SameSite=None needs Secure: a, b\n\u202e"
    assert formatter_of(message).to_string().endswith("needs Secure: a, b (x2)")


def test_an_element_is_named_while_it_is_there() -> None:
    _, session, console = recorded()
    report(session, "GenericIssue", {"errorType": "FormInputWithNoLabelError", "violatingNodeId": 5})
    (message,) = issues(console)
    gone = IssueFormatter(message, ConsoleDetails()).to_string_detailed()
    assert "Found in: an element that is gone or can't be asked for now" in gone
    there = IssueFormatter(message, ConsoleDetails(uids={("s1", 5): 31}))
    assert "Found in: uid=e31" in there.to_string_detailed()
    assert there.to_json_detailed()["occurrences"][0]["uid"] == "e31"
    assert cast(Session, session) is message.session


def test_places_count_from_one() -> None:
    _, session, console = recorded()
    place = {"url": "http://x/js/app.js", "lineNumber": 0, "columnNumber": 43, "scriptId": "1"}
    report(session, "DeprecationIssue", {"type": "UnloadHandler", "sourceCodeLocation": place})
    # The same place in a script that was loaded twice.
    report(session, "DeprecationIssue", {"type": "UnloadHandler", "sourceCodeLocation": {**place, "scriptId": "2"}})
    (message,) = issues(console)
    assert message.issue.count == 1
    line = formatter_of(message).to_string()
    assert line == "msgid=1 [issue] Deprecated: unload handlers (app.js:1:44)"
