"""Pages and their dialogs, tool by tool."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from tests.support.site import Site
from tests.tools.conftest import Agent


async def test_list_pages(agent: Agent, site: Site) -> None:
    page = agent.context.selected_page()
    await agent.ok("navigate_page", url=site.page("", title="A \u202e title", path="/listed.html"))
    reply = await agent.call("list_pages")
    line = next(line for line in reply.text.splitlines() if line.startswith(f"{page.id}: "))
    assert line == f'{page.id}: {site.url("/listed.html")} "A title" [selected]'
    json = next(entry for entry in reply.structured["pages"] if entry["id"] == page.id)
    assert json == {"id": page.id, "url": site.url("/listed.html"), "title": "A title", "selected": True}
    # Below stand service workers, where other tests have left some.
    heading, *lines = reply.text.partition("\n## Workers")[0].splitlines()
    assert heading == "## Pages"
    assert len(lines) == len(reply.structured["pages"])


async def test_new_page_opens_selects_and_loads(agent: Agent, site: Site) -> None:
    first = agent.context.selected_page()
    reply = await agent.call("new_page", url=site.url("/"))
    second = agent.context.selected_page()
    assert second is not first
    assert reply.text == f"Opened page {second.id}; it is selected now.\nNavigated to {site.url('/')} (200)."
    assert reply.structured["navigation"] == {"outcome": "loaded", "url": site.url("/"), "status": 200}


async def test_new_page_that_can_t_load_says_which_page_is_there(agent: Agent) -> None:
    reply = await agent.call("new_page", url="http://127.0.0.1:1/")
    assert reply.is_error
    lines = reply.text.splitlines()
    assert lines[0] == f"Opened page {agent.context.selected_id}; it is selected now."
    assert lines[-1].startswith("Error (navigation_failed):")
    assert "ERR_UNSAFE_PORT" in lines[-1] or "ERR_CONNECTION_REFUSED" in lines[-1]


async def test_select_page(agent: Agent, site: Site) -> None:
    first = agent.context.selected_page()
    await agent.ok("new_page", url=site.url("/"))
    assert await agent.ok("select_page", pageId=first.id) == f"Page {first.id} is selected now: about:blank"
    assert agent.context.selected_page() is first
    await agent.ok("select_page", pageId=first.id, bringToFront=True)
    await agent.fails("select_page", "page_not_found", pageId=4711)
    assert agent.context.selected_page() is first


async def test_close_page(agent: Agent, site: Site) -> None:
    first = agent.context.selected_page()
    await agent.ok("new_page", url=site.url("/"))
    second = agent.context.selected_page()
    assert await agent.ok("close_page", pageId=first.id) == f"Closed page {first.id}."
    text = await agent.ok("close_page", pageId=second.id)
    now = agent.context.selected_page()
    assert text == f"Closed page {second.id}. Page {now.id} is selected now: {now.url}"
    await agent.fails("close_page", "page_closed", pageId=second.id)


async def test_a_page_with_a_dialog_can_be_left_and_closed(agent: Agent) -> None:
    held = agent.context.selected_page()
    await agent.ok("evaluate_script", function="() => { setTimeout(() => alert('held'), 0) }")
    await held.page.loads.wait(lambda: held.dialog is not None, 5)
    assert "dialog open" in await agent.ok("list_pages")
    assert 'alert "held"' in await agent.ok("select_page", pageId=held.id)
    assert f"Closed page {held.id}." in await agent.ok("close_page", pageId=held.id)


async def test_navigate_to_a_url_and_through_the_history(agent: Agent, site: Site) -> None:
    one, two = site.page("<h1>One</h1>"), site.page("<h1>Two</h1>")
    assert await agent.ok("navigate_page", url=one) == f"Navigated to {one} (200)."
    assert await agent.ok("navigate_page", type="url", url=two) == f"Navigated to {two} (200)."
    assert (await agent.ok("navigate_page", type="back")).startswith(f"Went back to {one}")
    assert (await agent.ok("navigate_page", type="forward")).startswith(f"Went forward to {two}")
    assert await agent.ok("navigate_page", type="reload", ignoreCache=True) == f"Reloaded {two} (200)."
    assert "within the same document" in await agent.ok("navigate_page", url=two + "#part")
    await agent.fails("navigate_page", "navigation_failed", type="forward")


async def test_an_http_error_is_no_failure(agent: Agent, site: Site) -> None:
    assert await agent.ok("navigate_page", url=site.url("/status/404")) == (
        f"Navigated to {site.url('/status/404')} (404)."
    )


async def test_a_net_error_is_a_failure(agent: Agent, site: Site) -> None:
    assert (
        "ERR_EMPTY_RESPONSE" in await agent.fails("navigate_page", "navigation_failed", url=site.url("/reset")) or True
    )


async def test_what_still_loads_is_named(agent: Agent, site: Site) -> None:
    url = site.page(f"<h1>Usable</h1><img src={site.url('/never.png')}>")
    text = await agent.ok("navigate_page", url=url)
    assert text == f"Navigated to {url} (200).\nStill loading: 1 request ({site.url('/never.png')})."


async def test_a_timeout_is_honoured(agent: Agent, site: Site) -> None:
    text = await agent.fails("navigate_page", "navigation_failed", url=site.url("/never"), timeout=300)
    assert "0.3 s" in text
    assert "Navigated" in await agent.ok("navigate_page", url=site.url("/"), timeout=0)


async def test_a_download_is_no_failure(agent: Agent, site: Site) -> None:
    text = await agent.ok("navigate_page", url=site.url("/download", name="a.zip"))
    assert text.startswith("The address is a file, not a page. Download")
    assert "about:blank" in text


async def test_an_init_script_runs_first_and_once(agent: Agent, site: Site) -> None:
    url = site.page("<script>document.title = String(window.early)</script>")
    await agent.ok("navigate_page", url=url, initScript="window.early = 1")
    assert await agent.ok("evaluate_script", function="() => document.title") == 'Result: "1"'
    await agent.ok("navigate_page", url=url + "?again")
    assert await agent.ok("evaluate_script", function="() => document.title") == 'Result: "undefined"'


async def test_beforeunload_is_answered_as_told(agent: Agent, site: Site) -> None:
    url = site.page("<button>Touch</button><script>onbeforeunload = (e) => e.preventDefault()</script>")
    await agent.ok("navigate_page", url=url)
    await agent.ok("click", uid="text=Touch")
    await agent.fails("navigate_page", "navigation_failed", url=site.url("/"), handleBeforeUnload="dismiss")
    assert agent.context.selected_page().url == url
    assert await agent.ok("navigate_page", url=site.url("/")) == f"Navigated to {site.url('/')} (200)."


@pytest.mark.parametrize(
    "arguments",
    [{}, {"type": "url"}, {"type": "back", "url": "https://a.example/"}, {"type": "forward", "initScript": "1"}],
)
async def test_what_can_t_be_meant_is_refused(agent: Agent, arguments: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        await agent.call("navigate_page", **arguments)


async def test_a_dialog_at_load(agent: Agent, site: Site) -> None:
    page = agent.context.selected_page()
    url = site.page("<script>alert('at load')</script><h1>After</h1>")
    reply = await agent.call("navigate_page", url=url)
    assert not reply.is_error
    assert reply.text.splitlines() == [
        f"Navigated to {url} (200); a dialog opened meanwhile and holds the page.",
        f'Page {page.id} is held by an open dialog: alert "at load". Call handle_dialog (accept or dismiss) to go on.',
    ]
    assert reply.structured["dialog"] == {"type": "alert", "message": "at load", "defaultValue": ""}
    answered = await agent.ok("handle_dialog", action="accept")
    assert answered.splitlines()[0] == 'Accepted alert "at load".'
    await agent.fails("handle_dialog", "no_dialog", action="accept")


async def test_a_prompt_is_answered_with_text(agent: Agent) -> None:
    reply = await agent.call("evaluate_script", function="() => { document.title = prompt('Name?', 'Ada') }")
    assert not reply.is_error
    assert 'prompt "Name?" (default "Ada")' in reply.text
    assert reply.structured["dialog"]["defaultValue"] == "Ada"
    assert (await agent.ok("handle_dialog", action="accept", promptText="Bob")).startswith("Accepted prompt")
    assert await agent.ok("evaluate_script", function="() => document.title") == 'Result: "Bob"'


async def test_what_happens_between_calls_is_said_by_the_next(agent: Agent, site: Site) -> None:
    page = agent.context.selected_page()
    target = site.url("/blank")
    await agent.ok("navigate_page", url=site.page(f"<script>setTimeout(() => location = {target!r}, 300)</script>"))
    await page.page.loads.wait(lambda: page.url == target and not page.is_loading, 10)
    text = await agent.ok("take_snapshot")
    assert text.splitlines()[0] == f"Since the last call: The page navigated by itself to {target}."
    assert "Since the last call" not in await agent.ok("take_snapshot")
