"""Pages of many kinds against Chrome's accessibility tree, and all their words."""

from __future__ import annotations

from pagelens.browser.page import Page
from pagelens.snapshot.text_snapshot import TextSnapshot
from tests.snapshot.kinds import KINDS
from tests.snapshot.oracle import Comparison, compare
from tests.snapshot.words import missing_words
from tests.support.site import Site


async def test_pages_of_all_kinds(page: Page, site: Site) -> None:
    total = Comparison()
    for kind, html in KINDS.items():
        await page.navigate(site.page(html))
        result = await compare(page)
        assert result.is_good, "\n".join([kind, *result.differences, *result.facts_differences])
        total += result
        missing, _count = await missing_words(page, (await TextSnapshot.take(page)).text)
        assert not missing, (kind, missing)
    assert total.total > 500
    assert min(total.agreement, total.facts_agreement) >= 99.5, "\n".join(total.differences + total.facts_differences)
    assert total.explained.total() <= 4, total.explained
