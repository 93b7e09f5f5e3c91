"""Lists that pages draw themselves: comboboxes of every make, list boxes, fields that suggest."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pagelens.browser.evaluate import evaluate
from pagelens.browser.fill import fill
from pagelens.browser.page import Page
from pagelens.errors import ElementDisabled, FillFailed
from tests.support.site import Site

#: No test begins with what is in the page: they open documents of their own.
REUSES_PAGE = "as it is"

#: A button or field `c` that shows the list `l` after `delay`; `chosen` is what was picked, with trusted clicks only.
WIDGET = """<style>[role=listbox] {{ max-height: 80px; overflow: auto; margin: 0; padding: 0 }}</style>
{control}<ul id=l role=listbox hidden></ul><script>
let chosen = null;
const names = {names};
const show = list => setTimeout(() => {{
  l.innerHTML = list.map(name => `<li role=option data-value="${{name.slice(0, 2)}}">${{name}}</li>`).join('');
  l.hidden = list.length == 0;
  c.setAttribute('aria-expanded', 'true');
}}, {delay});
l.onclick = event => {{
  if (!event.isTrusted || !event.target.matches('[role=option]')) return;
  chosen = event.target.textContent;
  if (c.localName == 'input') c.value = chosen; else c.textContent = chosen;
  l.hidden = true;
}};
addEventListener('keydown', event => {{ if (event.key == 'Escape') l.hidden = true }});
c.onclick = () => {{ if (c.localName != 'input' || c.readOnly) show(names); }};
if (c.localName == 'input') c.oninput = () =>
  show(names.filter(name => name.toLowerCase().includes(c.value.toLowerCase())));
</script>"""
BUTTON = "<button id=c role=combobox aria-controls=l aria-expanded=false>Choose</button>"
FIELD = "<input id=c role=combobox aria-controls=l aria-autocomplete=list aria-expanded=false>"
NAMES = ["Germany", "France", "United Kingdom", "United States"]


async def show(page: Page, site: Site, control: str, *, names: list[str] = NAMES, delay: int = 0) -> None:
    html = WIDGET.format(control=control, names=json.dumps(names), delay=delay)
    await page.navigate(site.page(html))


async def value(page: Page, expression: str) -> Any:
    return json.loads((await evaluate(page, expression)).text)


@pytest.mark.parametrize(
    "control",
    [
        BUTTON,
        "<div id=c role=combobox tabindex=0 aria-haspopup=listbox>Choose</div>",
        "<button id=c aria-haspopup=listbox>Choose</button>",
        "<input id=c role=combobox aria-controls=l readonly>",
    ],
    ids=["combobox button", "list that nothing names", "list box button", "read-only field"],
)
@pytest.mark.parametrize(
    ("wanted", "chosen"), [("france", "France"), ("United K", "United Kingdom"), ("Ge", "Germany")]
)
async def test_dropdowns(page: Page, site: Site, control: str, wanted: str, chosen: str) -> None:
    await show(page, site, control, delay=100)
    report = await fill(page, "css=#c", wanted)
    assert (report.value_after, report.differs) == (chosen, False)
    assert await value(page, "[chosen, l.hidden]") == [chosen, True]


@pytest.mark.parametrize(("wanted", "words"), [("Mars", '"Germany", "France"'), ("United", "fits several")])
async def test_choices_there_are_not_close_the_list_again(page: Page, site: Site, wanted: str, words: str) -> None:
    await show(page, site, BUTTON)
    with pytest.raises(FillFailed, match=words):
        await fill(page, "css=#c", wanted)
    assert await value(page, "[chosen, l.hidden]") == [None, True]


async def test_a_list_that_is_longer_than_it_shows_at_once(page: Page, site: Site) -> None:
    # Only the options in view are there, as in lists of libraries for very many.
    await show(page, site, BUTTON, delay=5)
    await evaluate(
        page,
        """() => {
          const draw = () => {
            const first = Math.floor(l.scrollTop / 20);
            l.innerHTML = `<div style="height:${first * 20}px"></div>` + Array.from({ length: 6 }, (_, n) =>
              `<li role=option style="height:20px">Row ${first + n}</li>`).join('') +
              `<div style="height:${(300 - first) * 20}px"></div>`;
          };
          l.onscroll = draw;
          c.onclick = () => { l.hidden = false; draw(); };
        }""",
    )
    report = await fill(page, "css=#c", "Row 150")
    assert (report.value_after, report.differs) == ("Row 150", False)
    assert await value(page, "chosen") == "Row 150"


async def test_a_field_that_suggests_late(page: Page, site: Site) -> None:
    await show(page, site, FIELD, delay=300)
    report = await fill(page, "css=#c", "france")
    assert (report.value_after, report.differs, report.offered) == ("France", False, ())
    assert await value(page, "[chosen, l.hidden]") == ["France", True]


async def test_text_that_is_no_choice_stays_and_the_choices_are_told(page: Page, site: Site) -> None:
    await show(page, site, FIELD, delay=300)
    report = await fill(page, "css=#c", "United")
    assert (report.value_after, report.differs) == ("United", False)
    assert report.offered == ("United Kingdom", "United States")
    assert await value(page, "[chosen, c.value, l.hidden]") == [None, "United", False]


async def test_a_combobox_without_a_list_is_a_field(page: Page, site: Site) -> None:
    await page.navigate(site.page("<input id=c role=combobox value=old>"))
    report = await fill(page, "css=#c", "free text")
    assert (report.value_after, report.differs, report.offered) == ("free text", False, ())


async def test_a_list_box_and_one_that_takes_several(page: Page, site: Site) -> None:
    option = "<li role=option aria-selected={} onclick='pick(this)'>{}</li>"
    await page.navigate(
        site.page(
            f"<ul id=one role=listbox>{option.format('true', 'Red')}{option.format('false', 'Green')}</ul>"
            f"<ul id=many role=listbox aria-multiselectable=true>{option.format('true', 'A')}"
            f"{option.format('false', 'B')}{option.format('false', 'C')}</ul><script>function pick(li) {{"
            "const several = li.parentNode.id == 'many';"
            "if (!several) for (const other of li.parentNode.children) other.ariaSelected = 'false';"
            "li.ariaSelected = several ? String(li.ariaSelected != 'true') : 'true' }"
            "const on = list => [...list.children].filter(li => li.ariaSelected == 'true').map(li => li.textContent)"
            "</script>"
        )
    )
    assert not (await fill(page, "css=#one", "green")).differs
    assert not (await fill(page, "css=#many", '["B", "C"]')).differs
    assert await value(page, "[on(one), on(many)]") == [["Green"], ["B", "C"]]
    assert not (await fill(page, "css=#many", "C\nA")).differs
    assert await value(page, "on(many)") == ["A", "C"]


async def test_a_list_that_refuses_is_said(page: Page, site: Site) -> None:
    await show(page, site, BUTTON)
    await evaluate(page, "() => { l.onclick = () => { l.hidden = true } }")
    report = await fill(page, "css=#c", "France")
    assert (report.value_after, report.differs) == ("Choose", True)


async def test_one_that_is_off(page: Page, site: Site) -> None:
    await show(page, site, "<div id=c role=combobox aria-disabled=true aria-haspopup=listbox>Choose</div>")
    with pytest.raises(ElementDisabled):
        await fill(page, "css=#c", "France")


async def test_several_choices_of_a_select(page: Page, site: Site) -> None:
    await page.navigate(
        site.page("<select id=s multiple><option selected>One<option value=2>Two<option>Three</select>")
    )
    assert (await fill(page, "css=#s", "three\nTwo")).value_after == "Two, Three"
    assert await value(page, "[...s.selectedOptions].map(o => o.label)") == ["Two", "Three"]
    assert not (await fill(page, "css=#s", '["One"]')).differs
    assert not (await fill(page, "css=#s", "")).differs
    assert await value(page, "s.selectedOptions.length") == 0
    with pytest.raises(FillFailed, match='no choice "Four"'):
        await fill(page, "css=#s", "One\nFour")
