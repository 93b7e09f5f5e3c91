"""Shadow roots: open, closed, in one another, and slots."""

from __future__ import annotations

from pagelens.browser.page import Page
from tests.snapshot.conftest import Show

#: No test begins with what is in the page: they open documents of their own.
REUSES_PAGE = "as it is"


async def test_open_root_and_slots(show: Show) -> None:
    text = await show(
        "<div id=h><b slot=s>Slotted</b>Rest<i slot=none>lost</i></div>"
        "<script>h.attachShadow({mode: 'open'}).innerHTML ="
        "'<p>before</p><slot name=s></slot><button>In</button><slot></slot><slot name=x>fallback</slot>'</script>"
    )
    assert text == 'before\nSlotted\ne1 button "In"\nRestfallback'


async def test_closed_roots(show: Show, page: Page) -> None:
    text = await show(
        "<x-a></x-a><div id=d></div><x-s id=s><p>light</p></x-s><section id=t><p>no</p></section><script>"
        "customElements.define('x-a', class extends HTMLElement { constructor() { super();"
        "this.attachShadow({mode: 'closed'}).innerHTML = '<button>A</button><x-b></x-b>' } });"
        "customElements.define('x-b', class extends HTMLElement { constructor() { super();"
        "this.attachShadow({mode: 'closed'}).innerHTML = '<button>B</button>' } });"
        "d.attachShadow({mode: 'closed'}).innerHTML = '<button>D</button>';"
        "s.attachShadow({mode: 'closed'}).innerHTML = '<slot></slot><button>S</button>';"
        "t.attachShadow({mode: 'closed'}).innerHTML = '<button>T</button>'</script>"
    )
    assert text == 'e1 button "A"\ne2 button "B"\ne3 button "D"\nlight\ne4 button "S"\ne5 button "T"'
    await page.session.send("Runtime.evaluate", {"expression": "document.body.append(document.createElement('x-a'))"})
    later = await show("", go=False)
    assert later.count('button "A"') == later.count('button "B"') == 2


async def test_many_elements_of_a_kind_without_a_root(show: Show, page: Page) -> None:
    commands: list[str] = []
    post = page.session.post

    def counted(method: str, params: dict[str, object] | None = None):  # type: ignore[no-untyped-def]
        commands.append(method)
        return post(method, params)

    page.session.post = counted  # type: ignore[method-assign]
    try:
        text = await show("<x-row>r</x-row>" * 300)
        again = await show("", go=False)
    finally:
        del page.session.post  # type: ignore[method-assign]
    assert text == again == "r" * 300
    assert 0 < commands.count("DOM.describeNode") <= 5


async def test_names_and_labels_inside_a_root(show: Show) -> None:
    text = await show(
        "<label for=i>Outer</label><div id=h></div><script>h.attachShadow({mode: 'open'}).innerHTML ="
        "'<label for=i>Inner</label><input id=i><span id=l>Said</span><button aria-labelledby=l></button>'</script>"
    )
    assert text == 'Outer\ne1 textbox "Inner"\nSaid\ne2 button "Said"'


async def test_the_focus_inside_roots(show: Show) -> None:
    text = await show(
        "<div id=h></div><script>const r = h.attachShadow({mode: 'open'});"
        "r.innerHTML = '<button>a</button><button>b</button>'; r.lastChild.focus()</script>"
    )
    assert text == 'e1 button "a"\ne2 button "b" focused'


async def test_styles_inside_a_root(show: Show) -> None:
    text = await show(
        "<div id=h></div><script>h.attachShadow({mode: 'open'}).innerHTML ="
        "'<style>.p{cursor:pointer} button::before{content:\"* \"} p{text-transform:uppercase}</style>'"
        "+ '<div class=p>Click</div><button>Go</button><p>loud</p>'</script>"
    )
    assert text == 'e1 generic "Click" clickable\ne2 button "* Go"\nLOUD'


async def test_modal_dialog_in_a_root(show: Show) -> None:
    text = await show(
        "<button>Behind</button><div id=h></div><script>const r = h.attachShadow({mode: 'open'});"
        "r.innerHTML = '<dialog aria-label=Ask><button>Yes</button></dialog>'; r.firstChild.showModal()</script>"
    )
    assert text == 'e1 dialog "Ask" modal\n  e2 button "Yes" focused\ninert\n  Behind'
