"""Every word that a reader sees is in the snapshot."""

from __future__ import annotations

from pagelens.browser.page import Page
from pagelens.snapshot.text_snapshot import TextSnapshot
from tests.snapshot.words import missing_words
from tests.support.site import Site

#: Where words could get lost: one of each.
PLACES = """<main>
<p>paragraph <b>bo</b>ld <span>span</span> <small>small</small><br>broken</p><a href=/x>link <figure>figure<figcaption>figcaption</figcaption></figure></a>
<a href=/x><article>article <h3>inside</h3><blockquote>quotation</blockquote></article></a><button aria-label=labelled>other words</button>
<a href=/x title=tip aria-label=named><div>described <ul><li>nested</ul></div></a><h2>heading <a href=/x>within</a> after</h2>
<table border=1><caption>caption <b>twice</b></caption><tr><th>head <button>press</button><td>cell <table><tr><td>deep <td>deeper</table><tr><td>only | pipes \\ slashes</table>
<table><tr><td>layout <a href=/x>linked</a><td>beside</table><dl><dt>term<dd>definition</dl><ol><li>ordered <ul><li>below</ul></ol>
<fieldset><legend>legend <i>italic</i></legend><label>label <input type=checkbox> tail</label><label>own <select><option>chosen<option>offered</select></label></fieldset>
<label for=gone>nobody</label><output>output</output><div role=img aria-label=picture>drawn words</div><svg width=200 height=40><text y=20>vector</text></svg>
<div aria-hidden=true>hidden from readers <button>but shown</button></div><div inert>inert words</div><div role=none>presented <p>anyway</p></div>
<details open><summary>summary</summary>opened</details><pre>pre  formatted
lines</pre><code>codeword</code><time>yesterday</time><abbr title=long>abbr</abbr><ruby>kanji<rt>reading</rt></ruby><math><mi>formula</mi></math>
<div role=slider aria-valuenow=5 tabindex=0>sliding</div><div role=progressbar aria-valuenow=5>progressing</div><div role=textbox tabindex=0>typed</div><div role=combobox tabindex=0>combined</div>
<div role=listbox aria-label=box><div role=option>optional <b>bold</b></div></div><div role=tree><div role=treeitem>rooted<div role=group><div role=treeitem>leafed</div></div></div></div>
<div role=grid><div role=row><div role=gridcell>gridded</div><div role=gridcell><button>griddled</button></div></div></div><div role=menu><div role=menuitem>served</div></div>
<div role=separator>separated</div><div role=presentation>presentational</div><div role=math>mathematical</div><div role=meter aria-valuenow=1>measured</div><div role=heading>headed</div>
<div style="display:flex"><span>flexed</span><span>bent</span></div><div style="display:contents">content</div><div style="visibility:hidden">no <i style="visibility:visible">visible</i></div>
<p style="text-transform:uppercase">raised</p><marquee>moving</marquee><div contenteditable>editable <b>bolder</b></div><ul role=tablist><li role=tab>tabbed</ul>
<div popover id=pop>popped <a href=/x>up</a></div><div><template shadowrootmode=open>shadowy <slot></slot> roots</template>slotted</div><x-y>custom</x-y>
<div id=owner aria-owns=owned>owning</div><p>between</p><span id=owned>owned</span><div onclick="1">clicked <p>through</p></div><div style="height:20px;overflow:auto">scrolled <p>out</p></div>
<iframe srcdoc="<p>framed <iframe srcdoc='innermost'></iframe>"></iframe><object data=x>objected</object><canvas>unseen</canvas><dialog open>dialogue</dialog><address>addressed</address>
</main><script>pop.showPopover()</script>"""  # fmt: skip  # noqa: E501


async def test_words_are_not_lost_anywhere(page: Page, site: Site) -> None:
    await page.navigate(site.page(PLACES))
    text = (await TextSnapshot.take(page)).text
    missing, count = await missing_words(page, text)
    assert not missing, missing
    assert count > 95


async def test_a_lost_word_is_noticed(page: Page, site: Site) -> None:
    await page.navigate(site.page("<p>one two <iframe srcdoc='three'></iframe>"))
    text = (await TextSnapshot.take(page)).text
    assert await missing_words(page, text.replace("two", "").replace("three", "")) == (["two", "three"], 3)
