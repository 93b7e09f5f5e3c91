"""Half a character (a lone UTF-16 surrogate) breaks encoders; no page and no client may end the server with one."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.support.client import Era, RawClient
from tests.support.site import Site

HALF = "\ud83d"

PAGE = r"""
<title>x</title><p id=p></p><input id=i aria-label=Field><button id=b></button><a id=a>link</a>
<script>
  const half = 'a\ud83d b \udc00c';
  document.title = 'title ' + half;
  p.textContent = 'text ' + half;
  b.setAttribute('aria-label', 'name ' + half);
  i.value = 'value ' + half;
  a.setAttribute('href', '/' + 'href' + half);
  console.log('log ' + half, {key: half, [half]: 1});
  console.error(new Error('error ' + half));
  globalThis.half = half;
  fetch('/json?q=' + half);
  setTimeout(() => { throw new Error('thrown ' + half); });
</script>
"""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def raw(era: Era) -> AsyncIterator[RawClient]:
    """A client that can send half characters; the SDK's refuses to."""
    async with RawClient(era=era) as client:
        yield client


def whole(text: str) -> bool:
    return not any(0xD800 <= ord(letter) <= 0xDFFF for letter in text)


async def test_text_title_console_and_results(raw: RawClient, site: Site) -> None:
    opened = await raw.call("navigate_page", url=site.page(PAGE))
    assert not opened.is_error
    assert whole(opened.text)
    for tool, arguments, words in (
        ("take_snapshot", {}, ["text a", "name a", "value a", "title a"]),
        ("take_snapshot", {"verbose": True}, ["text a"]),
        ("list_pages", {}, ["title a"]),
        ("list_console_messages", {}, ["log a", "error a", "thrown a"]),
        ("list_network_requests", {}, ["/json?q="]),
        ("evaluate_script", {"function": "() => half"}, ["a", "b"]),
        ("evaluate_script", {"function": "() => ({[half]: [half, new Map([[half, half]])]})"}, ["a"]),
        ("click", {"uid": "css=#b"}, ["Clicked"]),
        ("take_screenshot", {}, []),
    ):
        reply = await raw.call(tool, arguments)
        assert not reply.is_error, f"{tool}: {reply}"
        assert whole(reply.text), f"{tool}: {reply.text!r}"
        for word in words:
            assert word in reply, f"{tool}: {reply}"
    thrown = await raw.call("evaluate_script", function="() => { throw new Error('of ' + half); }")
    assert thrown.is_error
    assert "of a" in thrown
    assert whole(thrown.text)


@pytest.mark.parametrize("kind", ["alert", "confirm", "prompt"])
async def test_a_dialog(raw: RawClient, site: Site, kind: str) -> None:
    await raw.call("navigate_page", url=site.page(PAGE))
    asked = await raw.call("evaluate_script", function=f"() => {kind}('ask ' + half)")
    assert "ask a" in asked
    assert whole(asked.text)
    answered = await raw.call("handle_dialog", action="accept", promptText="answer " + HALF)
    assert not answered.is_error, answered


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("fill", {"uid": "css=#i", "value": f"filled {HALF}!"}),
        ("evaluate_script", {"function": f"() => 'code {HALF}'.length"}),
        ("navigate_page", {"url": f"data:text/html,<p>{HALF}"}),
        ("click", {"uid": f"text={HALF}"}),
        ("press_key", {"key": HALF}),
        ("take_snapshot", {f"ver{HALF}bose": True}),
        ("take_screenshot", {"filePath": f"/tmp/{HALF}.png"}),
        (f"no_{HALF}_tool", {}),
    ],
)
async def test_an_argument(raw: RawClient, site: Site, tool: str, arguments: dict[str, object]) -> None:
    await raw.call("navigate_page", url=site.page(PAGE))
    answer = await raw.request("tools/call", {"name": tool, "arguments": arguments}, timeout=40)
    assert ("result" in answer) != ("error" in answer)
    assert whole(str(answer))
    alive = await raw.call("evaluate_script", function="() => 1 + 1")
    assert "2" in alive
    assert raw.process.returncode is None


async def test_a_url_with_half_a_character(raw: RawClient, site: Site) -> None:
    await raw.call("navigate_page", url=site.page(PAGE))
    reply = await raw.call("evaluate_script", function="() => { location.hash = half; return location.href; }")
    assert not reply.is_error, reply
    assert whole(reply.text)
    assert not (await raw.call("take_snapshot")).is_error
