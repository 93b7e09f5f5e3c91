"""Names by the specification, in one page; each also held to Chrome's answer."""

from __future__ import annotations

from pagelens.browser.page import Page
from tests.snapshot.accname_cases import CASES
from tests.snapshot.oracle import marked
from tests.support.site import Site


async def test_names_are_those_of_the_specification(page: Page, site: Site) -> None:
    html = "".join(
        "<div>" + html.replace(" @", f" data-case={n}").replace("%", str(n)) + "</div>\n"
        for n, (_, html, *_rest) in enumerate(CASES)
    )
    await page.navigate(site.page(html))
    found = await marked(page, "data-case")
    wrong = []
    for n, (what, _, expected, *others) in enumerate(CASES):
        chrome = others[0] if others else expected
        (_, theirs), (_, ours) = found[str(n)]
        if theirs != chrome:
            wrong.append(f"{what}: Chrome says {theirs!r}, not {chrome!r} (ours {ours!r})")
        if ours not in (expected, chrome):
            wrong.append(f"{what}: {ours!r}, not {expected!r}")
    assert not wrong, "\n".join(wrong)
    assert len(CASES) > 100
