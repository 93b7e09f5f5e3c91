# ruff: noqa: E501 - the cases read better as they are
"""States, values, descriptions: what lines say of every kind of control, and every state on every role against Chrome."""

from __future__ import annotations

import pytest

from pagelens.browser.fill import fill
from pagelens.browser.page import Page
from tests.snapshot.conftest import Show
from tests.snapshot.oracle import compare
from tests.support.site import Site

#: No test begins with what is in the page: they open documents of their own.
REUSES_PAGE = "as it is"

CASES = {
    "values of all kinds": (
        "<input value=text><input type=search value=find><input type=tel value=1><input type=url value=http://x>"
        "<input type=email value=a@b><input type=password value=abc><input type=number value=3>"
        "<input type=range value=30><input type=color value=#ff0000><input type=date value=2024-02-29>"
        "<input type=time value=10:30><input type=datetime-local value=2024-02-29T10:30><input type=month value=2024-02>"
        "<input type=week value=2024-W09><textarea>area</textarea><select><option>a<option selected>b</select>"
        "<progress value=.4></progress><meter value=.5></meter><div contenteditable>rich <b>text</b></div>",
        'e1 textbox value="text"\ne2 searchbox value="find"\ne3 textbox value="1"\ne4 textbox value="http://x"\n'
        'e5 textbox value="a@b"\ne6 textbox value="•••"\ne7 spinbutton value="3"\ne8 slider value="30"\n'
        'e9 color value="#ff0000"\ne10 date value="2024-02-29"\ne11 time value="10:30"\n'
        'e12 datetime value="2024-02-29T10:30"\ne13 datetime value="2024-02"\ne14 datetime value="2024-W09"\n'
        'e15 textbox value="area"\ne16 combobox value="b"\n  options a | b\ne17 progressbar value="0.4"\n'
        'e18 meter value="0.5"\ne19 generic editable value="rich text"',
    ),
    "values of controls that pages draw": (
        "<div role=textbox tabindex=0 aria-label=T>typed</div><div role=searchbox tabindex=0 aria-label=S>found</div>"
        "<div role=combobox tabindex=0 aria-label=C aria-expanded=false>chosen</div>"
        "<div role=slider tabindex=0 aria-label=V aria-valuenow=3 aria-valuetext='three stars'></div>"
        "<div role=spinbutton tabindex=0 aria-label=N aria-valuenow=4></div>"
        "<div role=separator tabindex=0 aria-label=Split aria-valuenow=40></div>",
        'e1 textbox "T" value="typed"\ne2 searchbox "S" value="found"\ne3 combobox "C" collapsed value="chosen"\n'
        'e4 slider "V" value="three stars"\ne5 spinbutton "N" value="4"\ne6 separator "Split" value="40"',
    ),
    "a combobox around a field has no value of its own": (
        "<div role=combobox aria-expanded=false aria-label=C><input aria-label=In value=x></div>",
        'e1 combobox "C" collapsed\n  e2 textbox "In" value="x"',
    ),
    "what is invalid": (
        "<input aria-label=a type=email value=bad><input aria-label=b required><input aria-label=c type=number max=2 value=9>"
        "<input aria-label=d aria-invalid=grammar><input aria-label=e aria-invalid=false type=email value=bad>",
        'e1 textbox "a" invalid value="bad"\ne2 textbox "b" required\ne3 spinbutton "c" invalid value="9"\n'
        'e4 textbox "d" invalid\ne5 textbox "e" value="bad"',
    ),
    "disabled with what is around it": (
        "<div aria-disabled=true role=group aria-label=G><button>in</button><div role=button tabindex=0>b</div></div>"
        "<fieldset disabled><legend>L <input aria-label=first></legend><input aria-label=second><a href=/x>l</a></fieldset>"
        "<div><template shadowrootmode=open><div aria-disabled=true><button>s</button></div></template></div>",
        'e1 group "G" disabled\n  e2 button "in" disabled\n  e3 button "b" disabled\ne4 group "L first"\n'
        '  L\n  e5 textbox "first"\n  e6 textbox "second" disabled\n  e7 link "l" /x\ne8 button "s" disabled',
    ),
    "states mean something on some roles only": (
        "<ul aria-expanded=false><li aria-pressed=true>a</ul><button aria-expanded=false aria-checked=true>b</button>"
        "<div role=radio aria-checked=mixed tabindex=0>c</div><div role=checkbox aria-checked=mixed tabindex=0>d</div>",
        'a\ne1 button "b" collapsed\ne2 radio "c"\ne3 checkbox "d" checked=mixed',
    ),
    "levels": (
        "<div role=heading>h</div><div role=tree aria-label=T><div role=treeitem aria-level=1>a</div>"
        "<div role=treeitem aria-level=2>b</div></div>",
        'e1 heading "h" level=2\ne2 tree "T"\n  e3 treeitem "a" level=1\n  e4 treeitem "b" level=2',
    ),
    "orientation only where it is not the usual one": (
        "<div role=slider tabindex=0 aria-label=a aria-orientation=horizontal></div>"
        "<div role=slider tabindex=0 aria-label=b aria-orientation=vertical></div>",
        'e1 slider "a"\ne2 slider "b" orientation=vertical',
    ),
    "the item that counts, while the focus is on its list": (
        "<input role=combobox aria-label=C aria-expanded=true aria-activedescendant=o2 autofocus>"
        "<div role=listbox aria-label=L><div role=option id=o1>a</div><div role=option id=o2>b</div></div>",
        'e1 combobox "C" expanded focused\ne2 listbox "L"\n  e3 option "a"\n  e4 option "b" active',
    ),
    "descriptions": (
        "<input aria-label=a aria-describedby='d1 d2'><p id=d1 hidden>hidden <b>help</b></p><p id=d2>shown help</p>"
        "<button title='what it does'>b</button><button title=tip></button><button title=Save>Save</button>"
        "<a href=/x title='says little'>c</a><a href=/x aria-description='opens a window'>d</a>",
        'e1 textbox "a" description="hidden help shown help"\nshown help\ne2 button "b" description="what it does"\n'
        'e3 button "tip"\ne4 button "Save"\ne5 link "c" /x\ne6 link "d" description="opens a window" /x',
    ),
    "what an element is called by its author": (
        "<div role=group aria-roledescription=slide aria-label='1 of 3'><button>x</button></div>",
        'e1 group "1 of 3" roledescription="slide"\n  e2 button "x"',
    ),
    "aria-owns": (
        "<div role=listbox aria-label=L aria-owns='b a'></div><div><div role=option id=a>A</div></div>"
        "<div role=option id=b>B</div><p>rest</p>",
        'e1 listbox "L"\n  e2 option "B"\n  e3 option "A"\nrest',
    ),
    "aria-owns in a circle": (
        "<div role=group aria-label=A id=a aria-owns=b>a<div role=group aria-label=B id=b aria-owns=a>b</div></div>",
        'e1 group "A"\n  a\n  e2 group "B"\n    b',
    ),
    "an open popover, and a closed one": (
        "<div popover id=p>open <button>in</button></div><div popover>closed</div><button popovertarget=p>toggle</button>"
        "<script>p.showPopover()</script>",
        'open\ne1 button "in"\ne2 button "toggle"',
    ),
    "a drawing with controls in it": (
        "<canvas aria-label=Chart width=9 height=9><button>Zoom</button></canvas>",
        'e1 canvas "Chart"\n  e2 button "Zoom"',
    ),
    "media": (
        "<video controls aria-label=Film></video><audio controls></audio><audio></audio>",
        'e1 video "Film"\ne2 audio',
    ),
    "an object that can't be shown": ("<object data=/nowhere.swf>instead <a href=/x>this</a></object>", None),
    "menus with links": (
        "<ul role=menu aria-label=M><li role=none><a role=menuitem href=/x>To x</a><li role=menuitem>y</ul>",
        'e1 menu "M"\n  e2 menuitem "To x" /x\n  e3 menuitem "y"',
    ),
}


@pytest.mark.parametrize("case", CASES)
async def test_rule(show: Show, case: str) -> None:
    html, expected = CASES[case]
    text = await show(html)
    if expected is None:
        assert "instead" in text
        assert 'link "this" /x' in text
    else:
        assert text == expected


async def test_values_are_those_of_now(show: Show, page: Page) -> None:
    await show("<input aria-label=A value=old><textarea aria-label=B></textarea>")
    await fill(page, "css=input", "new")
    await fill(page, "css=textarea", "two\nlines")
    assert await show("", go=False) == 'e1 textbox "A" value="new"\ne2 textbox "B" focused value="two lines"'


ROLES = """alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox
complementary contentinfo definition deletion dialog document emphasis feed figure form generic grid gridcell group heading
img insertion link list listbox log main mark marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter
navigation note progressbar radio radiogroup region row rowgroup rowheader scrollbar search searchbox separator slider
spinbutton status strong subscript superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip
tree treegrid"""
STATES = """aria-checked=true aria-checked=mixed aria-expanded=true aria-expanded=false aria-disabled=true aria-selected=true
aria-pressed=true aria-pressed=mixed aria-level=3 aria-required=true aria-invalid=true aria-readonly=true
aria-multiselectable=true aria-orientation=horizontal aria-orientation=vertical aria-haspopup=true aria-haspopup=dialog
aria-busy=true aria-modal=true aria-valuenow=5 tabindex=0 aria-description=D title=T aria-roledescription=r"""


async def test_every_state_on_every_role(page: Page, site: Site) -> None:
    boxes = [f"<div role={role} {state} aria-label=n>x</div>" for role in ROLES.split() for state in STATES.split()]
    await page.navigate(site.page("\n".join(boxes)))
    result = await compare(page)
    assert result.total >= len(boxes)
    assert result.differences == []
    assert result.facts_differences == []
    assert result.facts > 900
