"""Clicks and keys on real pages: what is clicked, what is refused and why, and what the page sees of it."""

from __future__ import annotations

import re

import pytest

from pagelens.browser.evaluate import evaluate
from pagelens.browser.input import click, press_key
from pagelens.browser.page import Page
from pagelens.errors import (
    CommandTimeout,
    ElementAmbiguous,
    ElementCovered,
    ElementDisabled,
    ElementError,
    ElementGone,
    ElementHidden,
    ElementMoving,
    ElementNotFound,
    InvalidInput,
)
from tests.support.site import Site

#: No test begins with what is in the page: they open documents of their own.
REUSES_PAGE = "as it is"

#: Counts clicks on everything with an id, by id, in `clicks`; `log` has all pointer events in order.
COUNT = """<script>
const clicks = {}; const log = [];
document.addEventListener('click', e => {
  const t = e.composedPath()[0]; const id = t.id || t.closest?.('[id]')?.id || '?';
  clicks[id] = (clicks[id] || 0) + 1;
}, true);
for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'dblclick', 'auxclick', 'contextmenu'])
  document.addEventListener(type, e => log.push(`${type} ${e.isTrusted} ${e.button} ${e.detail}`), true);
</script>"""


async def show(page: Page, site: Site, html: str, **options: object) -> None:
    await page.navigate(site.page(html + COUNT, **options))  # type: ignore[arg-type]


async def value(page: Page, expression: str) -> str:
    return (await evaluate(page, expression)).text


async def clicks(page: Page) -> str:
    return await value(page, "clicks")


# -- clicks that work --------------------------------------------------------------------------------------


async def test_a_click_is_what_a_person_causes(page: Page, site: Site) -> None:
    await show(page, site, "<button id=b>Save</button>")
    report = await click(page, "css=#b")
    assert (report.via, report.is_confirmed) == ("element", True)
    assert await value(page, "log") == (
        '["pointerdown true 0 0","mousedown true 0 1","pointerup true 0 0","mouseup true 0 1","click true 0 1"]'
    )


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"button": "right"}, ["pointerdown true 2 0", "mousedown true 2 1", "contextmenu true 2 0"]),
        ({"button": "middle"}, ["mousedown true 1 1", "auxclick true 1 1"]),
        ({"count": 2}, ["click true 0 1", "click true 0 2", "dblclick true 0 2"]),
    ],
)
async def test_other_buttons_and_double_clicks(
    page: Page, site: Site, options: dict[str, object], expected: list[str]
) -> None:
    await show(page, site, "<button id=b>Save</button>")
    await click(page, "css=#b", **options)  # type: ignore[arg-type]
    log = re.findall(r'"([^"]*)"', await value(page, "log"))
    assert [event for event in log if event in expected] == expected


async def test_modifiers_are_held_and_released(page: Page, site: Site) -> None:
    await show(
        page,
        site,
        "<button id=b onclick='seen.push(event.ctrlKey, event.shiftKey)'>B</button><script>const seen = [];"
        "for (const t of ['keydown', 'keyup']) addEventListener(t, e => seen.push(t + e.key))</script>",
    )
    await click(page, "css=#b", modifiers=["Control", "Shift"])
    assert await value(page, "seen") == '["keydownControl","keydownShift",true,true,"keyupShift","keyupControl"]'
    await press_key(page, "a")
    await click(page, "css=#b")
    assert (await value(page, "seen")).endswith('"keydowna","keyupa",false,false]')


@pytest.mark.parametrize("script", ["alert('Held')", "location.href = '/blank'", "throw 1"])
async def test_modifiers_are_released_whatever_the_key_does(page: Page, site: Site, script: str) -> None:
    """Field report 21."""
    await show(page, site, f"<input autofocus><script>onkeydown = e => {{ if (e.key === 'k') {script} }}</script>")
    async with page.acting("keys"):
        await press_key(page, "Control+k")
    if page.dialog is not None:
        await page.handle_dialog(True)
    await show(page, site, "<input id=b autofocus onclick='seen = [event.ctrlKey, event.getModifierState(`Control`)]'>")
    await click(page, "css=#b")
    await press_key(page, "k")
    assert await value(page, "[...seen, b.value]") == '[false,false,"k"]'


async def test_it_is_scrolled_into_view(page: Page, site: Site) -> None:
    await show(
        page,
        site,
        "<style>html{scroll-behavior:smooth}</style><div style='height:3000px'></div>"
        "<div style='height:100px;overflow:auto'><div style='height:900px'></div><button id=b>Deep</button></div>"
        "<div style='height:3000px'></div>",
    )
    await click(page, "css=#b")
    assert await clicks(page) == '{"b":1}'


async def test_what_sticks_to_the_edge_is_avoided_by_scrolling(page: Page, site: Site) -> None:
    bar = "position:fixed;left:0;right:0;height:45%;background:#ccc"
    await show(
        page,
        site,
        f"<div id=top style='{bar};top:0'></div><div style='height:3000px'></div><button id=b>B</button>"
        "<div style='height:3000px'></div>",
    )
    await evaluate(page, "() => { document.querySelector('#b').scrollIntoView(); scrollBy(0, -100); }")
    await click(page, "css=#b")
    assert await clicks(page) == '{"b":1}'


async def test_another_point_is_tried_when_the_centre_is_covered(page: Page, site: Site) -> None:
    await show(
        page,
        site,
        "<button id=b style='width:200px;height:100px'>B</button>"
        "<div id=badge style='position:absolute;left:60px;top:30px;width:100px;height:50px;background:red'></div>",
    )
    await click(page, "css=#b")
    assert await clicks(page) == '{"b":1}'


async def test_a_link_over_several_lines(page: Page, site: Site) -> None:
    await show(
        page,
        site,
        "<p style='width:200px'>Some words before it and then <a id=a href='#x'>a link that is broken over lines</a>.",
    )
    await click(page, "css=#a")
    assert await clicks(page) == '{"a":1}'


@pytest.mark.parametrize(
    "html",
    [
        "<div style='position:fixed;inset:0;pointer-events:none'></div><button id=b>B</button>",
        "<button id=b><svg id=t width=40 height=40 style='pointer-events:none'><circle r=20 /></svg></button>",
        "<a id=b href='#'><div style='float:left;width:50px;height:50px'>floats out of an empty box</div></a>",
        "<div style='display:contents' id=b><button>B</button></div>",
        "<p style='margin:80px;width:90px;transform:rotate(30deg) scale(.5);zoom:1.5'><button id=b>B</button>",
        "<div style='animation:spin 1s infinite linear'></div><button id=b>B</button>"
        "<style>@keyframes spin{to{opacity:0}}</style>",
    ],
    ids=["overlay lets through", "icon in a button", "empty box", "display contents", "transformed", "others move"],
)
async def test_clickable_in_spite_of_appearances(page: Page, site: Site, html: str) -> None:
    await show(page, site, html)
    await click(page, "css=#t" if "id=t" in html else "css=#b")
    assert await clicks(page) == '{"b":1}'


@pytest.mark.parametrize(
    "html",
    [
        "<input id=c type=checkbox style='opacity:0;position:absolute'><label for=c id=l>Agree</label>",
        "<input id=c type=checkbox style='display:none'><label for=c id=l>Agree</label>",
        "<label style='display:block;padding:20px'><input id=c type=checkbox style='pointer-events:none'></label>",
    ],
    ids=["transparent", "not displayed", "inside"],
)
async def test_a_styled_checkbox_is_clicked_through_its_label(page: Page, site: Site, html: str) -> None:
    await show(page, site, html)
    await click(page, "css=#c")
    assert await value(page, "document.querySelector('#c').checked") == "true"


@pytest.mark.parametrize("mode", ["open", "closed"])
async def test_inside_shadow_roots(page: Page, site: Site, mode: str) -> None:
    await show(
        page,
        site,
        f"""<x-box id=host><span id=light>slotted</span></x-box><script>
        let inner;
        customElements.define('x-box', class extends HTMLElement {{ constructor() {{ super();
          const root = this.attachShadow({{mode: '{mode}'}});
          root.innerHTML = '<button id=b><slot></slot></button><i id=after>after</i>';
          inner = root.querySelector('button'); inner.onclick = e => hits.push(e.isTrusted); }} }});
        const hits = []</script>""",
    )
    await click(page, "css=#light")
    # The uid of a button in a closed root, as a snapshot would give it.
    uid = re.match(r"uid=(e\d+)", await value(page, "() => inner"))
    assert uid is not None
    await click(page, uid[1])
    assert await value(page, "hits") == "[true,true]"


async def test_an_option_of_a_closed_select_is_selected(page: Page, site: Site) -> None:
    await show(
        page,
        site,
        "<select id=s onchange='seen.push(this.value)' oninput='seen.push(1)'><option>A<option id=o>B"
        "<optgroup id=g label=More><option id=d disabled>C</optgroup></select><script>const seen = []</script>",
    )
    assert (await click(page, "css=#o")).via == "selection"
    assert await value(page, "seen") == '[1,"B"]'
    with pytest.raises(ElementDisabled):
        await click(page, "css=#d")
    with pytest.raises(ElementDisabled, match="group"):
        await click(page, "css=#g")
    assert await value(page, "seen") == '[1,"B"]'


async def test_an_image_map(page: Page, site: Site) -> None:
    await show(
        page,
        site,
        "<img src=/pixel.png width=200 height=200 usemap='#m'><map name=m>"
        "<area id=left href='#l' coords='0,0,100,200'><area id=right href='#r' coords='100,0,200,200'></map>",
    )
    await click(page, "css=#right")
    assert await clicks(page) == '{"right":1}'


# -- clicks that are refused -------------------------------------------------------------------------------

OVERLAY = "position:fixed;inset:0"


@pytest.mark.parametrize(
    ("html", "words"),
    [
        (f"<button id=b>B</button><div id=over style='{OVERLAY}'>We value your privacy</div>", '<div#over> "We value'),
        (f"<button id=b>B</button><div id=over style='{OVERLAY};opacity:0'></div>", "<div#over>"),
        ("<button id=b>B</button><dialog id=over>Modal</dialog><script>over.showModal()</script>", "<dialog#over>"),
        (
            f"<button id=b>B</button><div id=host></div><script>host.attachShadow({{mode:'open'}}).innerHTML ="
            f"'<div id=veil style=\"{OVERLAY}\">Veil</div>'</script>",
            "<div#veil>",
        ),
        (f"<button id=b>B</button><div id=host></div><script>host.attachShadow({{mode:'closed'}}).innerHTML ="
         f"'<div style=\"{OVERLAY}\">Veil</div>'</script>", "<div#host>"),
        ("<div id=under><button id=b style='pointer-events:none'>B</button></div>", "pointer-events: none"),
    ],
    ids=["overlay", "transparent", "modal dialog", "open root", "closed root", "lets clicks through"],
)  # fmt: skip
async def test_a_covered_click_is_refused_and_names_the_coverer(page: Page, site: Site, html: str, words: str) -> None:
    await show(page, site, html)
    with pytest.raises(ElementCovered) as raised:
        await click(page, "css=#b")
    assert words in str(raised.value)
    assert await value(page, "log") == "[]"
    # The uid that the message names leads to what is in the way.
    uid = re.search(r"uid=(e\d+)", str(raised.value))
    assert uid is not None
    await page.element(uid[1])


@pytest.mark.parametrize(
    ("html", "words"),
    [
        ("<button id=b style='display:none'>B</button>", "it has display: none"),
        ("<div id=box style='display:none'><button id=b>B</button></div>", "<div#box> has display: none"),
        ("<div style='visibility:hidden'><button id=b>B</button></div>", "visibility: hidden"),
        ("<details><summary>More</summary><button id=b>B</button></details>", "closed <details>"),
        ("<div id=b></div>", "no size"),
        ("<div style='width:0;height:0;overflow:hidden'><button id=b>B</button></div>", "clipped"),
        ("<button id=b style='position:absolute;left:-5000px'>B</button>", "outside the page"),
        ("<div style='content-visibility:hidden'><button id=b>B</button></div>", "content-visibility"),
        ("<input type=hidden id=b>", "display: none"),
    ],
)
async def test_hidden_elements_say_why(page: Page, site: Site, html: str, words: str) -> None:
    await show(page, site, html)
    with pytest.raises(ElementHidden, match=re.escape(words)):
        await click(page, "css=#b")


@pytest.mark.parametrize(
    ("html", "words"),
    [
        ("<button id=b disabled>B</button>", "is disabled"),
        ("<fieldset disabled><legend>L</legend><button id=b>B</button></fieldset>", "its fieldset is disabled"),
        ("<button disabled><span id=b>B</span></button>", "inside <button>"),
        ("<div inert><button id=b>B</button></div>", "inert"),
    ],
)
async def test_disabled_elements(page: Page, site: Site, html: str, words: str) -> None:
    await show(page, site, html)
    with pytest.raises(ElementDisabled, match=re.escape(words)):
        await click(page, "css=#b")
    assert await value(page, "log") == "[]"


async def test_a_removed_or_redrawn_element_is_gone(page: Page, site: Site) -> None:
    await show(page, site, "<div id=root><button>B</button></div>")
    uid = re.match(r"uid=(e\d+)", await value(page, "() => document.querySelector('button')"))
    assert uid is not None
    await click(page, uid[1])
    await evaluate(page, "() => { root.innerHTML = '<button>B</button>' }")
    with pytest.raises(ElementGone, match="removed"):
        await click(page, uid[1])
    await page.navigate(site.url("/blank"))
    with pytest.raises(ElementGone, match="navigated"):
        await click(page, uid[1])


@pytest.mark.parametrize(
    ("target", "error"),
    [
        ("e999999999", ElementNotFound),
        ("css=#none", ElementNotFound),
        ("css=b", ElementAmbiguous),
        ("#b", InvalidInput),
    ],
)
async def test_targets_that_name_no_single_element(page: Page, site: Site, target: str, error: type[Exception]) -> None:
    await show(page, site, "<b>1</b><b>2</b>")
    with pytest.raises(error):
        await click(page, target)


# -- things in motion --------------------------------------------------------------------------------------


async def test_an_element_that_slides_in_is_waited_for(page: Page, site: Site) -> None:
    await show(
        page,
        site,
        "<button id=b style='position:absolute;top:50px;left:50px;animation:in .2s'>B</button>"
        "<style>@keyframes in{from{left:900px}}</style>",
    )
    await click(page, "css=#b")
    assert await clicks(page) == '{"b":1}'


async def test_an_element_that_never_rests_is_clicked_where_it_is_or_refused(page: Page, site: Site) -> None:
    await show(
        page,
        site,
        "<button id=slow style='position:absolute;top:50px;width:200px'>Slow</button>"
        "<button id=jump style='position:absolute;top:250px;width:10px;padding:0'>J</button><script>let n = 0;"
        "(function step() { n += 1; slow.style.left = 50 + n % 20 + 'px'; requestAnimationFrame(step) })()</script>",
    )
    await click(page, "css=#slow")
    assert await clicks(page) == '{"slow":1}'
    # It leaves whenever the pointer comes: the press would hit the page behind it.
    await evaluate(
        page,
        "() => addEventListener('mousemove', () => { jump.style.left = (jump.offsetLeft + 90) % 700 + 'px' })",
    )
    with pytest.raises(ElementMoving, match="No element got a click"):
        await click(page, "css=#jump")
    assert await clicks(page) == '{"slow":1}'


async def test_what_opens_under_the_pointer_gets_no_click(page: Page, site: Site) -> None:
    await show(
        page,
        site,
        "<button id=b>Hover opens a menu over it</button><div id=menu style='position:fixed;inset:0;display:none'>"
        "Menu</div><script>b.onmouseenter = () => { menu.style.display = 'block' }</script>",
    )
    with pytest.raises(ElementCovered, match="<div#menu>"):
        await click(page, "css=#b")
    assert await value(page, "log") == "[]"
    # The page is left as it was found: the next click is an ordinary one.
    await click(page, "css=#menu")
    assert await clicks(page) == '{"menu":1}'


async def test_a_press_that_the_page_takes_at_its_window_is_not_confirmed(page: Page, site: Site) -> None:
    take = (
        "for (const t of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click'])"
        "addEventListener(t, e => e.stopImmediatePropagation(), true)"
    )
    await show(page, site, f"<button id=b>B</button><script>{take}</script>")
    assert not (await click(page, "css=#b")).is_confirmed


async def test_a_page_that_was_pinched_larger(page: Page, site: Site) -> None:
    await show(page, site, "<div style='width:3000px;height:2500px'></div><button id=b>B</button>")
    await page.session.send("Emulation.setPageScaleFactor", {"pageScaleFactor": 2})
    assert (await click(page, "css=#b")).is_confirmed
    assert await clicks(page) == '{"b":1}'


# -- frames ------------------------------------------------------------------------------------------------

INNER = (
    """<body style='margin:0'><div style='height:{gap}px'></div>
<button id=in onclick='done = (window.done || 0) + event.isTrusted'>In</button>"""
    + COUNT
)


def framed(site: Site, other: bool, style: str = "", gap: int = 900) -> str:
    inner = site.page(INNER.replace("{gap}", str(gap)), other=other)
    return (
        "<div style='height:1200px'></div>"
        "<style>iframe { margin-left: 120px; border: 7px solid; padding: 11px; width: 400px; height: 300px }</style>"
        f"<iframe id=f src='{inner}' style='{style}'></iframe><div style='height:2000px'></div>"
    )


async def in_frame(page: Page, expression: str) -> str:
    frame = page.main_frame.children[0]
    return (await evaluate(page, expression, frame=frame)).text


@pytest.mark.parametrize("other", [False, True], ids=["same process", "other process"])
@pytest.mark.parametrize("style", ["", "transform:scale(.6)", "height:1000px"], ids=["plain", "scaled", "tall"])
async def test_a_button_in_a_frame(page: Page, site: Site, other: bool, style: str) -> None:
    await show(page, site, framed(site, other, style))
    assert page.main_frame.children[0].is_out_of_process == other
    assert (await click(page, "css=#in")).is_confirmed
    await click(page, "css=#in")
    assert await in_frame(page, "window.done") == "2"


@pytest.mark.parametrize("other", [False, True], ids=["same process", "other process"])
@pytest.mark.parametrize("gap", [40, 900], ids=["in view", "below"])
async def test_a_button_in_a_frame_of_a_page_that_was_pinched_larger(
    page: Page, site: Site, other: bool, gap: int
) -> None:
    await show(page, site, framed(site, other, gap=gap))
    await page.session.send("Emulation.setPageScaleFactor", {"pageScaleFactor": 2})
    assert (await click(page, "css=#in")).is_confirmed
    assert await in_frame(page, "window.done") == "1"


@pytest.mark.parametrize("other", [False, True], ids=["same process", "other process"])
async def test_a_frame_covered_in_its_parent(page: Page, site: Site, other: bool) -> None:
    await show(page, site, framed(site, other) + f"<div id=over style='{OVERLAY}'>Cookies</div>")
    with pytest.raises(ElementCovered, match="<div#over>"):
        await click(page, "css=#in")
    assert await in_frame(page, "log") == "[]"
    await evaluate(page, "() => over.remove()")
    await click(page, "css=#in")
    assert await in_frame(page, "window.done") == "1"


async def test_frames_within_frames(page: Page, site: Site) -> None:
    middle = site.page(framed(site, other=False, gap=500), other=True)
    await show(page, site, f"<div style='height:2000px'></div><iframe src='{middle}' style='width:700px;height:500px'>")
    await click(page, "css=#in")
    frame = page.main_frame.children[0].children[0]
    assert (await evaluate(page, "window.done", frame=frame)).text == "1"


async def test_a_hidden_frame(page: Page, site: Site) -> None:
    await show(page, site, framed(site, other=True, style="visibility:hidden"))
    with pytest.raises(ElementHidden):
        await click(page, "css=#in")


# -- what a click may cause --------------------------------------------------------------------------------


async def test_a_dialog_is_no_error_and_does_not_block(page: Page, site: Site) -> None:
    await show(page, site, "<button id=b onclick='answer = confirm(\"Sure?\")'>B</button><script>let answer</script>")
    async with page.acting("input") as effect:
        await click(page, "css=#b")
    assert effect.dialog is not None
    assert effect.dialog.message == "Sure?"
    await page.handle_dialog(True)
    assert await value(page, "answer") == "true"


async def test_a_click_that_closes_the_page_is_no_error(page: Page, site: Site) -> None:
    await show(page, site, "<button id=b onclick='window.open(\"/blank\")'>B</button>")
    async with page.acting("input") as effect:
        await click(page, "css=#b")
    popup = effect.new_pages[0]
    await popup.navigate(site.page("<button id=b onclick='window.close()'>Close me</button>"))
    async with popup.acting("input"):
        await click(popup, "css=#b")
    assert popup.closed is not None


async def test_a_tab_behind_another_one(page: Page, site: Site) -> None:
    await show(page, site, "<button id=b onclick='window.open(\"/blank\")'>B</button><input id=i>")
    async with page.acting("input") as effect:
        await click(page, "css=#b")
    assert effect.new_pages
    await click(page, "css=#i")
    await press_key(page, "x")
    assert await value(page, "[clicks, i.value]") == '[{"b":1,"i":1},"x"]'


async def test_an_endless_handler_is_ended_and_the_page_lives(page: Page, site: Site) -> None:
    await show(page, site, "<button id=b onclick='for (;;) ;'>B</button><button id=ok>OK</button>")
    with pytest.raises(CommandTimeout):
        await click(page, "css=#b", timeout=1)
    await click(page, "css=#ok")
    assert await clicks(page) == '{"b":1,"ok":1}'


async def test_a_page_without_evil_globals_is_not_needed(page: Page, site: Site) -> None:
    await show(
        page,
        site,
        "<button id=b>B</button><script>document.elementFromPoint = Element.prototype.getClientRects = "
        "Element.prototype.matches = window.getComputedStyle = () => { throw 1 }; Array.prototype.map = null</script>",
    )
    await click(page, "css=#b")
    assert await clicks(page) == '{"b":1}'
    # And nothing of ours can be seen from the page.
    assert await value(page, "'pagelensClick' in window || '__pagelens' in window") == "false"


# -- keys --------------------------------------------------------------------------------------------------

FIELD = "<input id=i value='old text'><script>const keys = []; for (const t of ['keydown', 'keypress', 'keyup'])" \
    "addEventListener(t, e => keys.push(`${t} ${e.key} ${e.code} ${e.keyCode} ${e.isTrusted}`))</script>"  # fmt: skip


async def test_keys_go_where_the_focus_is(page: Page, site: Site) -> None:
    await show(page, site, FIELD)
    await click(page, "css=#i")
    await press_key(page, "End")
    await evaluate(page, "() => { keys.length = 0 }")
    await press_key(page, "x")
    assert await value(page, "keys") == '["keydown x KeyX 88 true","keypress x KeyX 120 true","keyup x KeyX 88 true"]'
    assert await value(page, "i.value") == '"old textx"'
    await press_key(page, "Control+A")
    await press_key(page, "é")
    assert await value(page, "i.value") == '"é"'
    await press_key(page, "Backspace")
    assert await value(page, "i.value") == '""'


async def test_modifiers_are_released_whatever_happens(page: Page, site: Site) -> None:
    await show(page, site, FIELD + "<script>addEventListener('keydown', e => { if (e.key == 'k') alert(1) })</script>")
    await click(page, "css=#i")
    async with page.acting("input") as effect:
        await press_key(page, "Control+Alt+k")
    assert effect.dialog is not None
    await page.handle_dialog(True)
    await press_key(page, "b")
    # A key that is released while a dialog is open stays unseen by the page, but it is released.
    assert await value(page, "i.value") == '"old textb"'


@pytest.mark.parametrize(
    ("combination", "seen"),
    [
        ("Control++", "+ Equal true false"),
        ("Control+Shift+K", "K KeyK true true"),
        ("ctrl+k", "k KeyK true false"),
        ("Shift+Tab", "Tab Tab false true"),
        ("F5", "F5 F5 false false"),
        ("Escape", "Escape Escape false false"),
        ("Esc", "Escape Escape false false"),
        ("NumpadEnter", "Enter NumpadEnter false false"),
        ("Shift+1", "! Digit1 false true"),
        ("Space", "  Space false false"),
    ],
)
async def test_combinations(page: Page, site: Site, combination: str, seen: str) -> None:
    await show(
        page,
        site,
        "<body tabindex=0><script>let last; addEventListener('keydown', e => { last = "
        "`${e.key} ${e.code} ${e.ctrlKey} ${e.shiftKey}`; e.preventDefault() })</script>",
    )
    await press_key(page, combination)
    assert await value(page, "last") == f'"{seen}"'


async def test_enter_submits_and_tab_moves(page: Page, site: Site) -> None:
    await show(
        page,
        site,
        "<form onsubmit='sent = new FormData(this).get(\"a\"); return false'><input id=a name=a autofocus>"
        "<input id=second><button>Go</button></form><textarea id=t></textarea><script>let sent</script>",
    )
    await click(page, "css=#a")
    await press_key(page, "q")
    await press_key(page, "Enter")
    assert await value(page, "sent") == '"q"'
    await press_key(page, "Tab")
    assert await value(page, "document.activeElement.id") == '"second"'
    await press_key(page, "Shift+Tab")
    assert await value(page, "document.activeElement.id") == '"a"'
    await click(page, "css=#t")
    await press_key(page, "a")
    await press_key(page, "Enter")
    await press_key(page, "Shift+Enter")
    assert await value(page, "t.value") == r'"a\n\n"'


@pytest.mark.parametrize("other", [False, True], ids=["same process", "other process"])
async def test_keys_reach_a_focused_frame(page: Page, site: Site, other: bool) -> None:
    inner = site.page("<input id=i>", other=other)
    await show(page, site, f"<iframe src='{inner}'></iframe>")
    async with page.acting("input"):
        await click(page, "css=#i")
    async with page.acting("input"):
        await press_key(page, "Shift+h")
    assert await in_frame(page, "document.querySelector('#i').value") == '"H"'


@pytest.mark.parametrize("combination", ["", "Nonsense", "A+B", "Control+", "Control+Nonsense"])
async def test_keys_that_do_not_exist(page: Page, combination: str) -> None:
    with pytest.raises(InvalidInput):
        await press_key(page, combination)


async def test_every_refusal_is_an_element_error(page: Page, site: Site) -> None:
    await show(page, site, "<button id=b hidden>B</button>")
    with pytest.raises(ElementError) as raised:
        await click(page, "css=#b")
    assert raised.value.code == "element_hidden"
    assert raised.value.hint
