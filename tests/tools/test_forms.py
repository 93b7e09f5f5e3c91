"""fill, fill_form and upload_file as an agent calls them."""

from __future__ import annotations

from pathlib import Path

from tests.support.site import Site
from tests.tools.conftest import Agent

#: No test begins with what is in the page: they open documents of their own.
REUSES_PAGE = "as it is"


async def test_fill_form_says_how_many_and_what_is_worth_a_word(agent: Agent, site: Site) -> None:
    mask = "oninput=\"value = value.replace(/\\D/g, '').replace(/(\\d{3})(?=\\d)/g, '$1-')\""
    await agent.ok("navigate_page", url=site.page(f"<input id=a><input id=b {mask}><input id=c type=checkbox>"))
    elements = [
        {"uid": "css=#a", "value": "x"},
        {"uid": "css=#b", "value": "123456"},
        {"uid": "css=#c", "value": "true"},
    ]
    reply = await agent.call("fill_form", elements=elements, includeSnapshot=True)
    assert reply.text.splitlines()[:2] == ["Filled 3 fields.", 'css=#b shows it as "123-456".']
    assert reply.structured["fields"] == [
        {"uid": "css=#a", "filled": True},
        {"uid": "css=#b", "filled": True, "value": "123-456"},
        {"uid": "css=#c", "filled": True},
    ]
    assert "checkbox checked" in reply.text
    text = await agent.fails("fill_form", "fill_failed", elements=[*elements, {"uid": "css=body", "value": "x"}])
    assert "Nothing was filled" in text


async def test_fill_form_with_a_field_that_the_page_refuses(agent: Agent, site: Site) -> None:
    await agent.ok("navigate_page", url=site.page("<input id=a><input id=b oninput='value = \"mine\"'>"))
    elements = [{"uid": "css=#b", "value": "x"}, {"uid": "css=#a", "value": "y"}]
    text = await agent.fails("fill_form", "fill_failed", elements=elements)
    assert text.splitlines()[0] == "Filled 1 of 2 fields."
    assert 'css=#b was filled, but holds "mine" now' in text.splitlines()[1]


async def test_fill_says_what_a_mask_made_of_it_and_what_a_list_offers(agent: Agent, site: Site) -> None:
    await agent.ok(
        "navigate_page",
        url=site.page(
            "<input id=m oninput=\"value = value.replace(/(\\d{2})(?=\\d)/, '$1/')\">"
            '<input id=q role=combobox aria-controls=l oninput="setTimeout(() => l.innerHTML ='
            " '<li role=option>Otters<li role=option>Owls', 300)\"><ul id=l role=listbox></ul>"
        ),
    )
    assert await agent.ok("fill", uid="css=#m", value="1226") == 'Filled css=#m. The page shows it as "12/26".'
    text = await agent.ok("fill", uid="css=#q", value="o")
    assert '"Otters", "Owls"' in text
    assert await agent.ok("evaluate_script", function="() => q.value") == 'Result: "o"'


async def test_upload_through_input_label_and_button(agent: Agent, site: Site, tmp_path: Path) -> None:
    one, two = tmp_path / "one.txt", tmp_path / "two.txt"
    one.write_text("1")
    two.write_text("2")
    await agent.ok(
        "navigate_page",
        url=site.page(
            "<input id=i type=file hidden multiple><label for=i>Label</label>"
            "<button onclick='i.click()'>Choose</button>"
            "<button id=idle>Idle</button>"
        ),
    )
    assert 'holds "one.txt"' in await agent.ok("upload_file", uid="css=#i", filePaths=[str(one)])
    assert 'holds "one.txt", "two.txt"' in await agent.ok(
        "upload_file", uid="text=Label", filePaths=[str(one), str(two)]
    )
    text = await agent.ok("upload_file", uid="text=Choose", filePaths=[str(two)])
    assert text.startswith('text=Choose holds "two.txt", through its file chooser.')
    count = "() => [i.files.length, i.files[0].name]"
    assert await agent.ok("evaluate_script", function=count) == 'Result: [1,"two.txt"]'
    assert "opened no file chooser" in await agent.fails(
        "upload_file", "invalid_input", uid="css=#idle", filePaths=[str(one)]
    )
    # Afterwards choosers open as ever.
    await agent.ok("click", uid="text=Choose")


async def test_files_outside_of_the_allowed_folders_are_refused(agent: Agent, site: Site) -> None:
    await agent.ok("navigate_page", url=site.page("<input id=i type=file>"))
    text = await agent.fails("upload_file", "path_not_allowed", uid="css=#i", filePaths=["/etc/hostname"])
    assert "allowed" in text
    assert await agent.ok("evaluate_script", function="() => i.files.length") == "Result: 0"
