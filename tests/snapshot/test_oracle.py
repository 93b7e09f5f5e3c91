# ruff: noqa: E501 - the cases read better as they are
"""Roles, names, states and words: against Chrome's accessibility tree and against ``innerText``."""

from __future__ import annotations

import pytest

from pagelens.browser.page import Page
from pagelens.snapshot.text_snapshot import TextSnapshot
from tests.snapshot.oracle import Comparison, compare
from tests.snapshot.words import missing_words
from tests.support.data import data_file, saved_pages
from tests.support.site import Site

#: Nothing from elsewhere and no scripts: the page is the same every time.
POLICY = {"Content-Security-Policy": "default-src 'self' data:; style-src 'unsafe-inline'; script-src 'none'"}

CASES = """
<main><h1>Cases</h1><h2>A <em>b</em> <small>c</small></h2>
<p id=one>One</p><p id=two>Two <span hidden>hidden</span><img src=x alt=pic></p>
<button aria-labelledby="one two">x</button><button aria-label=" ">content</button><button aria-label=L title=T>x</button>
<button title=T></button><button><img alt=icon src=x></button><button>a<div>b</div>c</button><button>a<span>b</span></button>
<button><span aria-hidden=true>x</span>Close</button><button aria-labelledby=gone>fallback</button>
<button id=self aria-label=Delete aria-labelledby="self one">x</button>
<label for=i1>First</label><input id=i1><label>Wrap <input> after</label><label for=i2>a</label><label for=i2>b</label>
<input id=i2 type=checkbox><input placeholder=P><input title=T placeholder=P><input aria-label=A placeholder=P>
<input type=submit><input type=submit value=Go><input type=reset><input type=button value=B><input type=image alt=I src=x>
<input type=search aria-label=s><input type=email aria-label=e><input type=tel aria-label=t><input type=number aria-label=n>
<input type=range aria-label=r><input type=date aria-label=d><input type=color aria-label=c><input type=hidden>
<input list=dl aria-label=combo><datalist id=dl><option>x</datalist>
<label><input type=checkbox> check <input value=5 aria-label=n> times</label><label><input type=radio name=r> radio</label>
<select aria-label=s1><option>a<option>b</select><select multiple aria-label=s2><optgroup label=g><option>c</optgroup></select>
<textarea aria-label=ta>text</textarea><meter value=.5 aria-label=m></meter><progress aria-label=p value=1 max=2></progress>
<output>out</output><fieldset><legend>Legend</legend><input aria-label=in></fieldset>
<a href=x>link</a><a href=x aria-label=L>l</a><a>none</a><a href=x><img alt=a src=x> text</a><a href=x title=T><br></a>
<ul><li>i1<li><a href=x>i2</a></ul><ol><li>o</ol><dl><dt>t<dd>d</dl><ul role=menu><li role=menuitem>mi</ul>
<ul role=none><li>n</ul><ul role=tablist><li role=tab>tab</ul>
<nav aria-label=n>x</nav><aside>x</aside><section aria-label=s>x</section><section>x</section><form>f</form>
<form aria-label=f>f</form><header>in main</header><footer>in main</footer><article><header>h</header></article>
<search>s</search><address>a</address><figure><img alt=f src=x><figcaption>cap</figcaption></figure><hr>
<blockquote>q</blockquote><code>c</code><del>d</del><ins>i</ins><sub>s</sub><sup>s</sup><mark>m</mark><abbr title=full>ab</abbr>
<time>t</time><strong>s</strong><em>e</em><dfn>d</dfn><ruby>r<rt>t</rt></ruby>
<table><caption>Cap</caption><tr><th>h<th scope=row>r<tr><td>1<td>2</table><table role=presentation><tr><td>x</table>
<table><tr><td>l</table><div role=grid aria-label=g><div role=row><div role=gridcell>c</div></div></div>
<div role=tree aria-label=t><div role=treeitem>one</div></div><div role=listbox aria-label=lb><div role=option>o</div></div>
<div role=radiogroup aria-label=rg><div role=radio>a</div></div><div role=switch>s</div><div role=slider aria-label=sl></div>
<div role="bogus button">b</div><div role=presentation tabindex=0>p</div><div role=region>unnamed</div><div role=img aria-label=i></div>
<div role=none>n</div><div role=alert>a</div><div role=status>s</div><div role=dialog aria-label=d>d</div>
<details><summary>sum</summary>x</details><details open><summary>sum2</summary>y</details><dialog open>dlg</dialog>
<div contenteditable aria-label=ce>edit</div><div tabindex=0>focus</div><span title=T>s</span><div title=T>d</div>
<svg width=9 height=9 role=img aria-label=svg></svg><svg width=9 height=9><title>t</title><circle r=3></circle></svg>
<canvas aria-label=c width=9 height=9></canvas><video controls aria-label=v></video><iframe title=f></iframe>
<div style="text-transform:uppercase"><button>up</button></div><style>.q::before{content:"[" / "open"}</style><button class=q>q</button>
<div style="display:none">no</div><div style="visibility:hidden">no <b style="visibility:visible">yes</b></div>
<div inert><button>inert</button></div><div aria-hidden=true><button>hidden</button></div>
<button><input value=v aria-label=in></button><h3>Head<a href=x>link</a></h3><div role=heading>no level</div>
<div id=host></div></main><footer>page</footer>
"""


async def test_own_cases(page: Page, site: Site) -> None:
    await page.navigate(site.page(CASES))
    result = await compare(page)
    assert result.total > 140
    assert result.differences == []
    assert result.facts_differences == []
    assert result.explained.total() <= 2, result.explained


#: Every sixth saved page but the two longest, and with ``--long`` all of them.
SAVED = [
    pytest.param(name, marks=[pytest.mark.long] if index % 6 or name.startswith(("archive", "wikipedia-2")) else [])
    for index, name in enumerate(saved_pages())
]


@pytest.fixture(scope="session")
def so_far() -> list[Comparison]:
    """The comparisons of all saved pages that this process has seen."""
    return []


@pytest.mark.data
@pytest.mark.parametrize("name", SAVED)
async def test_saved_page(page: Page, site: Site, name: str, so_far: list[Comparison]) -> None:
    html = data_file("pages", "saved", name).read_text("utf-8", "replace")
    await page.navigate(site.page(html, headers=POLICY))
    result = await compare(page)
    assert result.is_good, "\n".join([*result.differences[:20], *result.facts_differences[:20]])
    so_far.append(result)
    total = sum(so_far, Comparison())
    if total.total >= 1_000:  # on few elements one is already too much
        assert min(total.agreement, total.facts_agreement) >= 99.5, "\n".join(
            total.differences + total.facts_differences
        )
    for _ in range(5):
        missing, _count = await missing_words(page, (await TextSnapshot.take(page)).text)
        if not missing:
            break  # else one of its frames has only now been loaded
    assert not missing, missing
