"""What Chrome asks on behalf of a page ends by itself where nobody can answer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pagelens.browser.page import Page
from tests.support.site import Response, Site


async def settled(page: Page, expression: str) -> Any:
    """What the promise comes to."""
    params = {"expression": expression, "awaitPromise": True, "returnByValue": True, "userGesture": True}
    return (await page.session.send("Runtime.evaluate", params))["result"].get("value")


@pytest.mark.parametrize(
    ("request_for", "answer"),
    [
        ("Notification.requestPermission()", "denied"),
        ("new Promise(r => navigator.geolocation.getCurrentPosition(() => r('given'), e => r(e.code)))", 1),
        ("navigator.clipboard.readText().then(() => 'given', e => e.name)", "NotAllowedError"),
        ("navigator.requestMIDIAccess({sysex: true}).then(() => 'given', e => e.name)", "NotAllowedError"),
        ("getScreenDetails().then(() => 'given', e => e.name)", "NotAllowedError"),
        ("IdleDetector.requestPermission()", "denied"),
        ("showOpenFilePicker().then(() => 'given', e => e.name)", "AbortError"),
    ],
)
async def test_permissions_are_denied_at_once(page: Page, site: Site, request_for: str, answer: Any) -> None:
    await page.navigate(site.url("/blank"))
    assert await settled(page, request_for) == answer


async def test_an_account_chooser_is_dismissed_and_said(page: Page) -> None:
    with Site() as site:

        def answer(path: str, content: dict[str, Any]) -> None:
            site.route(path, lambda _: Response(json.dumps(content), content_type="application/json"))

        answer("/.well-known/web-identity", {"provider_urls": [f"{site.origin}/fed.json"]})
        answer(
            "/fed.json",
            {
                "accounts_endpoint": "/acc",
                "id_assertion_endpoint": "/id",
                "login_url": "/",
                "client_metadata_endpoint": "/m",
            },
        )
        answer("/acc", {"accounts": [{"id": "1", "email": "ann@example.org\n# heading", "name": "Ann"}]})
        answer("/m", {})
        await page.navigate(site.url("/blank"))
        choice = (
            "navigator.login.setStatus('logged-in').then(() => navigator.credentials.get({identity: {providers: "
            "[{configURL: location.origin + '/fed.json', clientId: '1'}]}})).then(() => 'given', e => e.name)"
        )
        assert await settled(page, choice) in ("NetworkError", "AbortError", "NotAllowedError")
        (line,) = page.take_news()
        assert "ann@example.org" in line
        assert "\n" not in line
        assert "dismissed" in line
