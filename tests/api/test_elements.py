"""Elements, and acting on them."""

from __future__ import annotations

from pathlib import Path

import pytest

import pagelens
from pagelens.errors import (
    ElementAmbiguous,
    ElementCovered,
    ElementDisabled,
    ElementGone,
    ElementNotFound,
    FileFailed,
    FillFailed,
    InvalidInput,
)
from tests.support.site import Site

#: Nothing here needs more than a fresh document.
REUSES_PAGE = True


async def test_finding(page: pagelens.Page) -> None:
    await page.set_content("<button>Save</button><ul><li>a<li>b<li>c</ul><x-y></x-y>")
    save = await page.element("text=Save")
    for name in ("css=button", save.uid, f"uid={save.uid}"):
        assert await page.element(name) == save
    assert hash(save) == hash(await page.element("css=button"))
    assert save.page is page
    assert save.frame == page.main_frame
    items = await page.elements("css=li")
    assert [await item.evaluate("(li) => li.textContent") for item in items] == ["a", "b", "c"]
    assert len({item.uid for item in items}) == 3
    assert await page.elements("css=.nothing") == []
    with pytest.raises(ElementAmbiguous, match=items[1].uid):
        await page.element("css=li")
    with pytest.raises(ElementNotFound):
        await page.element("css=.nothing")
    with pytest.raises(InvalidInput, match="not a valid selector"):
        await page.elements("css=[")
    with pytest.raises(InvalidInput, match="names no element"):
        await page.element("button")
    with pytest.raises(InvalidInput, match="names no element"):
        await page.elements("e1")


async def test_many_elements(page: pagelens.Page) -> None:
    await page.set_content("<ul>" + 3000 * "<li>" + "</ul>")
    items = await page.elements("css=li")
    assert len({item.uid for item in items}) == 3000


async def test_clicks_say_what_they_did(page: pagelens.Page, site: Site) -> None:
    target = site.page("<h1>Next</h1>")
    await page.goto(site.page(f"<a href='{target}'>next</a><p onclick='this.title = event.detail'>p</p>"))
    assert (await page.click("css=p", count=2)).nothing_seen
    assert await page.evaluate("document.querySelector('p').title") == "2"
    effect = await (await page.element("css=a")).click()
    assert (effect.navigated_to, effect.http_status) == (target, 200)
    assert isinstance(effect, pagelens.Effect)


async def test_buttons_and_modifiers(page: pagelens.Page) -> None:
    await page.set_content(
        "<p>p</p><script>for (const t of ['click', 'auxclick', 'contextmenu']) addEventListener(t, (e) => {"
        " e.preventDefault(); document.title += `${t}${e.button}${e.shiftKey ? 's' : ''},` })</script>"
    )
    await page.click("css=p", modifiers=["Shift"])
    await page.click("css=p", button="middle")
    await (await page.element("css=p")).click(button="right")
    assert sorted((await page.title()).split(",")) == ["", "auxclick1", "auxclick2", "click0s", "contextmenu2"]


async def test_what_keeps_an_element_from_being_clicked(page: pagelens.Page) -> None:
    await page.set_content("<button disabled>off</button><button id=b>b</button>"
                           "<div style='position:fixed;inset:0' id=shade></div>")  # fmt: skip
    with pytest.raises(ElementDisabled):
        await page.click("text=off")
    with pytest.raises(ElementCovered, match="shade"):
        await page.click("css=#b")
    element = await page.element("css=#b")
    await page.evaluate("() => document.querySelector('#b').remove()")
    with pytest.raises(ElementGone):
        await element.click()
    with pytest.raises(ElementGone):
        await page.click(element)


async def test_filling(page: pagelens.Page) -> None:
    await page.set_content(
        "<input id=a value=old><select id=s><option>One<option value=2>Two</select><input type=checkbox id=c>"
        "<input id=n maxlength=2><script>a.oninput = () => document.title = a.value</script>"
    )
    await page.fill("css=#a", "new ü")
    assert await page.title() == "new ü"
    element = await page.element("css=#s")
    await element.fill("Two")
    assert await element.evaluate("(s) => s.value") == "2"
    await page.fill("css=#c", "true")
    assert await page.evaluate("c.checked") is True
    with pytest.raises(FillFailed, match="holds"):
        await page.fill("css=#n", "12345")
    with pytest.raises(FillFailed):
        await page.fill("css=#s", "Three")


async def test_keys(page: pagelens.Page) -> None:
    await page.set_content("<form onsubmit='document.title = q.value; return false'><input id=q autofocus></form>")
    await page.fill("css=#q", "word")
    await page.press("Enter")
    assert await page.title() == "word"
    await page.press("Control+A")
    await page.press("x")
    assert await page.evaluate("q.value") == "x"
    with pytest.raises(InvalidInput):
        await page.press("NoSuchKey")


async def test_boxes(page: pagelens.Page) -> None:
    await page.set_content(
        "<div id=d style='position:absolute;left:10px;top:20px;width:30px;height:40.5px'></div>"
        "<div id=n style='display:none'></div>"
    )
    assert await (await page.element("css=#d")).box() == pagelens.Box(10, 20, 30, 40.5)
    assert await (await page.element("css=#n")).box() is None


async def test_an_element_that_was_used_outlives_its_removal(page: pagelens.Page) -> None:
    await page.set_content("<p>kept</p>")
    element = await page.element("css=p")
    assert await element.evaluate("(p) => { p.remove(); return p.isConnected }") is False
    assert await element.evaluate("(p) => p.textContent") == "kept"
    assert await element.box() is None
    await element.dispose()
    await element.dispose()
    for call in (element.evaluate("(p) => p"), element.box(), element.click(), page.click(element)):
        with pytest.raises(InvalidInput, match="disposed"):
            await call


async def test_an_element_goes_with_its_document(page: pagelens.Page, site: Site) -> None:
    await page.goto(site.url("/"))
    element = await page.element("css=h1")
    assert await element.box() is not None
    await page.goto(site.url("/blank"))
    with pytest.raises(ElementGone, match="navigated since"):
        await element.box()
    await page.back()


async def test_elements_of_other_pages(page: pagelens.Page, browser: pagelens.Browser) -> None:
    other = await browser.new_page()
    await other.set_content("<p>p</p>")
    await page.set_content("<p>p</p>")
    element = await other.element("css=p")
    with pytest.raises(InvalidInput, match="another page"):
        await page.evaluate("(p) => p", element)
    with pytest.raises(ElementNotFound, match="belongs to page"):
        await page.click(element)


async def test_elements_as_arguments(page: pagelens.Page) -> None:
    await page.set_content("<p id=a>a</p><p id=b>b</p>")
    a, b = await page.elements("css=p")
    found = await page.evaluate("(list, {x}) => [list[0].id + x.id, x, list[1] === x, document.body]", [a, b], {"x": b})
    assert found[:3] == ["ab", b, True]
    assert (await page.element("css=body")) == found[3]


async def test_forms_in_one_pass_and_values_of_a_program(page: pagelens.Page) -> None:
    await page.set_content(
        "<input id=a><input id=n type=number><input id=c type=checkbox><select id=s multiple><option>One<option>Two"
        "<option>Three</select><input id=no oninput='value = 1'>"
    )
    box = await page.element("css=#c")
    effect = await page.fill_form([("css=#a", "text"), ("css=#n", 12.5), (box, True), ("css=#s", ["One", "Three"])])
    assert effect.navigated_to is None
    state = "() => [a.value, n.value, c.checked, [...s.selectedOptions].map((option) => option.label)]"
    assert await page.evaluate(state) == ["text", "12.5", True, ["One", "Three"]]
    await page.fill_form({box: False})
    await page.fill("css=#s", ["Two"])
    await page.fill_form({"css=#a": "other"})
    assert await page.evaluate(state) == ["other", "12.5", False, ["Two"]]
    with pytest.raises(ElementNotFound, match="Nothing was filled"):
        await page.fill_form({"css=#a": "never", "css=#none": "x"})
    with pytest.raises(FillFailed, match="1 of 2 fields"):
        await page.fill_form({"css=#no": "x", "css=#a": "last"})
    assert await page.evaluate("() => a.value") == "last"


async def test_uploads_through_a_button(page: pagelens.Page, tmp_path: Path) -> None:
    file = tmp_path / "one.txt"
    file.write_text("first")
    await page.set_content(
        "<input id=i type=file hidden><button onclick='i.click()'>Choose</button><button>Idle</button>"
    )
    await (await page.element("text=Choose")).upload(file)
    assert await page.evaluate("() => i.files[0].text()") == "first"
    with pytest.raises(InvalidInput, match="opened no file chooser"):
        await page.upload("text=Idle", file)


async def test_uploads(page: pagelens.Page, tmp_path: Path) -> None:
    one, two = tmp_path / "one.txt", tmp_path / "two.txt"
    one.write_text("first")
    two.write_text("second")
    await page.set_content(
        "<input type=file id=one hidden><label for=one>Choose</label><input type=file id=many multiple>"
        "<input type=file id=dir webkitdirectory><input type=file id=off disabled><input id=text>"
        "<script>addEventListener('change', (e) => document.title +="
        " e.target.id + e.target.files.length + ',')</script>"
    )
    effect = await page.upload("css=#one", one)
    assert effect.nothing_seen
    assert await page.evaluate("() => one.files[0].text()") == "first"
    await page.upload("text=Choose", str(two))
    assert await page.evaluate("() => one.files[0].name") == "two.txt"
    await page.upload(await page.element("css=#many"), [one, two])
    assert await page.evaluate("() => [...many.files].map((f) => f.name)") == ["one.txt", "two.txt"]
    await page.upload("css=#dir", tmp_path)
    assert await page.evaluate("() => dir.files.length") == 2
    await page.upload("css=#many", [])
    assert await page.title() == "one1,one1,many2,dir2,many0,"
    with pytest.raises(FileFailed, match="There is no file"):
        await page.upload("css=#one", tmp_path / "missing")
    with pytest.raises(FileFailed, match="is a directory"):
        await page.upload("css=#one", tmp_path)
    with pytest.raises(FileFailed, match="is a file"):
        await page.upload("css=#dir", one)
    with pytest.raises(InvalidInput, match="takes one file"):
        await page.upload("css=#one", [one, two])
    with pytest.raises(InvalidInput, match="no file input: it is <input type=text>"):
        await page.upload("css=#text", one)
    with pytest.raises(ElementDisabled):
        await page.upload("css=#off", one)
    assert await page.title() == "one1,one1,many2,dir2,many0,"
