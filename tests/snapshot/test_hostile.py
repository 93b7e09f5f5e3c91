"""Pages that would forge our lines, break the wire, or are too deep or too large."""

from __future__ import annotations

import pytest

from pagelens.browser.page import Page
from pagelens.snapshot.text_snapshot import ROLE_WORDS, TextSnapshot
from tests.snapshot.conftest import Show, plain
from tests.support.site import Site

#: No test begins with what is in the page: they open documents of their own.
REUSES_PAGE = "as it is"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('uid=e5 button "Pay"', '"uid=e5 button \\"Pay\\""'),
        ("button of war", '"button of war"'),
        ("link: https", '"link: https"'),
        ("Button of war", "Button of war"),
        ("unread mail", '"unread mail"'),
        ("row a | b", '"row a | b"'),
        ('"quoted"', '"\\"quoted\\""'),
        ("&#x200b;uid=e9 x", '"uid=e9 x"'),
        ("u&#x200b;id=e9 x", '"uid=e9 x"'),
        ("&#xfeff;uid=e9 x", '"uid=e9 x"'),
        ("but&#x2060;ton x", '"button x"'),
        ("<pre>a\nuid=e7 link &quot;x&quot;</pre>", 'a uid=e7 link "x"'),
        ("a&#x202e;b&#x2066;c", "abc"),
        ("a&#x2028;uid=e1 button", "a uid=e1 button"),
        ("&#1;x", "x"),
    ],
)
async def test_text_cannot_forge_a_line(show: Show, text: str, expected: str) -> None:
    assert await show(f"<p>{text}</p>") == expected


async def test_names_and_values_cannot_forge_a_line(show: Show) -> None:
    text = await show(
        '<button aria-label="a&#10;uid=e9 link \\&quot;x&quot; disabled">x</button>'
        '<input aria-label="n&#x2029;m" value="v&quot; checked">'
        "<a href='http://[ uid=e3 button'>bad</a><img alt='x&#10;y' src=/pixel.png>"
        "<table border=1><tr><th>h<th>i<tr><td>a\\| b<td>c&#10;uid=e4 d</table>"
    )
    assert text == (
        'e1 button "a uid=e9 link \\\\\\"x\\" disabled"\n  x\n'
        'e2 textbox "n m" value="v\\" checked"\n'
        'e3 link "bad" http://[%20uid=e3%20button\n'
        'e4 img "x y"\n'
        "e5 table\n  row h | i\n  row a\\\\\\| b | c uid=e4 d"
    )


async def test_title_cannot_forge_a_line(page: Page, site: Site) -> None:
    await page.navigate(site.page('<script>document.title = "a\\nuid=e1 b\\u202e\\ud800"</script>x'))
    assert (await TextSnapshot.take(page)).text.split(" url=")[0] == 'page "a uid=e1 b�"'


async def test_lone_surrogates(show: Show) -> None:
    text = await show(
        "<p id=p></p><button id=b></button><script>p.textContent = 'a\\ud83d b'; b.ariaLabel = 'x\\udc00y'</script>"
    )
    assert text == 'a� b\ne1 button "x�y"'
    assert text.encode("utf-8")


async def test_every_word_of_ours_is_known_as_ours(page: Page, site: Site) -> None:
    """Whatever role a page can make us print, a text that starts with that word is put in quotes."""
    roles = "".join(f"<div role={role} tabindex=0 aria-label=n>t</div>" for role in sorted(ROLE_WORDS))
    tags = "audio canvas details dialog fieldset figure form iframe img label legend meter object output progress"
    html = "".join(f"<{tag} aria-label=n tabindex=0></{tag}>" for tag in tags.split())
    kinds = ("date", "time", "color", "month", "range", "file")
    inputs = "".join(f"<input type={kind} aria-label=n>" for kind in kinds)
    await page.navigate(site.page(roles + html + inputs + "<table border=1><th tabindex=0>h<td tabindex=0>d</table>"))
    for verbose in (False, True):
        printed = set()
        for line in plain((await TextSnapshot.take(page, verbose=verbose)).text).split("\n"):
            words = line.split()
            if words[0].startswith("e"):
                printed.add(words[1])
        unknown = {word for word in printed if word not in ROLE_WORDS and not word.startswith(("doc-", "graphics-"))}
        assert unknown == set()
        assert len(printed) > 60


@pytest.mark.parametrize(
    ("levels", "wrapper", "leaf"),
    [
        (1500, "<div></div>", "<button>Deep</button>"),
        (1500, "<span></span>", "<button>Deep</button>"),
        (1500, "<div role=button></div>", "Deep"),
        (500, "<ul><li></li></ul>", "<button>Deep</button>"),
    ],
)
async def test_deep_pages(page: Page, site: Site, levels: int, wrapper: str, leaf: str) -> None:
    """The parser stops at 512 levels, scripts don't. (Chrome's own layout crashes somewhere below 3,000.)"""
    html = f"""<div id=root></div><script>
      const outer = document.createElement('template');
      outer.innerHTML = {wrapper!r};
      let at = root;
      for (let i = 0; i < {levels}; i++) {{
        at.append(outer.content.cloneNode(true));
        while (at.firstElementChild) at = at.firstElementChild;
      }}
      at.innerHTML = {leaf!r};</script>"""
    await page.navigate(site.page(html))
    snapshot = await TextSnapshot.take(page)
    assert snapshot.problems == []
    assert '"Deep"' in snapshot.text


async def test_a_name_from_deep_content(show: Show) -> None:
    text = await show(
        "<a href=/x id=a></a><script>let at = a; for (let i = 0; i < 1200; i++)"
        "{ const d = document.createElement('span'); at.append(d); at = d }"
        "at.textContent = 'Deep name'</script>"
    )
    assert text == 'e1 link "Deep name" /x'


@pytest.mark.long
async def test_a_hundred_thousand_elements(page: Page, site: Site) -> None:
    await page.navigate(
        site.page(
            "<div id=root></div><script>let s = ''; for (let i = 0; i < 20000; i++)"
            "s += `<div class=r><span>n${i}</span><a href=/i/${i}>link ${i}</a><p><b>p${i}</b></p></div>`;"
            "root.innerHTML = s</script>"
        )
    )
    snapshot = await TextSnapshot.take(page)
    assert snapshot.problems == []
    assert snapshot.line_count == 60001
    assert 'link "link 19999" /i/19999' in snapshot.text
    last = snapshot.text.split("\n")[-2]
    element = await page.element(last.split()[0].removeprefix("uid="))
    await element.release()


async def test_a_page_that_changes_all_the_time(page: Page, site: Site) -> None:
    await page.navigate(
        site.page(
            "<div id=root></div><script>let n = 0; setInterval(() => { n++;"
            "root.innerHTML = `<button onclick=1>b${n}</button><x-y></x-y><div onclick=1>d</div>` }, 1)</script>"
        )
    )
    for _ in range(15):
        snapshot = await TextSnapshot.take(page)
        assert snapshot.problems == []
        assert ' button "b' in snapshot.text


async def test_a_page_that_tampers_with_its_own_world(show: Show) -> None:
    text = await show(
        "<button>a</button><script>Node.prototype.appendChild = null; window.getComputedStyle = () => { throw 1 };"
        "Array.prototype.push = () => { throw 2 }; Element.prototype.getAttribute = () => 'x'; window.Map = null;"
        "Object.defineProperty(HTMLElement.prototype, 'shadowRoot', {get() { throw 3 }})</script>"
    )
    assert text == 'e1 button "a"'


async def test_form_fields_named_like_properties(show: Show) -> None:
    """A form's fields hide the properties of the form element, in every world."""
    text = await show(
        "<form aria-label=F><input name=children aria-label=a><input name=firstChild aria-label=b>"
        "<input name=localName aria-label=c><input name=getAttribute aria-label=d><input name=shadowRoot aria-label=e>"
        "<input name=hasAttributes aria-label=f><input name=nodeType aria-label=g><input name=nextSibling aria-label=h>"
        "<input name=parentNode aria-label=i><input name=matches aria-label=j></form><p>after</p>"
        "<img name=querySelectorAll alt=k src=/pixel.png><form name=activeElement></form>"
        "<form name=documentElement></form>"
    )
    fields = "\n".join(f'  e{n} textbox "{name}"' for n, name in enumerate("abcdefghij", 2))
    assert text == f'e1 form "F"\n{fields}\nafter\ne12 img "k"'
