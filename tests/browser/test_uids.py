"""Numbers for nodes: the allocator, and the registry in the page."""

from __future__ import annotations

import gc

import pytest

from pagelens.browser.page import Page
from pagelens.browser.uids import GIVE_UIDS, DocumentKey, UidAllocator
from pagelens.errors import ElementGone
from pagelens.snapshot.text_snapshot import TextSnapshot
from tests.support.site import Site

#: No test begins with what is in the page: they open documents of their own.
REUSES_PAGE = "as it is"

A = DocumentKey(1, "main", "loader-a")
B = DocumentKey(2, "main", "loader-b")


def test_numbers_are_given_once_and_know_their_document() -> None:
    uids = UidAllocator()
    assert uids.reserve(3, A) == range(1, 4)
    assert uids.reserve(2, A) == range(4, 6)
    assert uids.reserve(1, B) == range(6, 7)
    assert uids.reserve(10, A) == range(7, 17)
    assert [uids.owner(n) for n in (1, 5, 6, 7, 16)] == [A, A, B, A, A]


def test_numbers_never_given_have_no_document() -> None:
    uids = UidAllocator()
    assert uids.owner(1) is None
    uids.reserve(1, A)
    assert [uids.owner(n) for n in (-1, 0, 2, 10**15)] == [None] * 4


@pytest.mark.parametrize("count", [0, -1])
def test_nothing_can_be_reserved(count: int) -> None:
    with pytest.raises(ValueError, match="reserve"):
        UidAllocator().reserve(count, A)


def uid_of(text: str, name: str) -> str:
    """The uid of the line that says `name`."""
    return next(line for line in text.split("\n") if f'"{name}"' in line).split()[0].removeprefix("uid=")


async def test_a_uid_belongs_to_its_node(page: Page, site: Site) -> None:
    await page.navigate(site.page("<button id=a>A</button><button id=b>B</button>"))
    first = (await TextSnapshot.take(page)).text
    script = "b.before(document.createElement('hr')); b.parentNode.prepend(b); a.textContent = 'New name'"
    await page.session.send("Runtime.evaluate", {"expression": script})
    second = (await TextSnapshot.take(page)).text
    assert uid_of(second, "B") == uid_of(first, "B")
    assert uid_of(second, "New name") == uid_of(first, "A")


async def test_a_uid_survives_garbage_collection(page: Page, site: Site) -> None:
    """The engine may drop what JavaScript sees of a node while the node lives on."""
    await page.navigate(site.page("".join(f"<p><button>b{i}</button>" for i in range(300))))
    first = (await TextSnapshot.take(page)).text
    garbage = "{const a = []; for (let i = 0; i < 3e5; i++) a.push({i}); a.length}"
    for _ in range(3):
        await page.session.send("Runtime.evaluate", {"expression": garbage})
        await page.session.send("HeapProfiler.collectGarbage")
    assert (await TextSnapshot.take(page)).text == first
    element = await page.element(uid_of(first, "b299"))
    await element.release()


async def test_a_new_node_has_a_new_uid_and_the_old_one_is_gone(page: Page, site: Site) -> None:
    await page.navigate(site.page("<div id=d><button>Same</button></div>"))
    first = (await TextSnapshot.take(page)).text
    await page.session.send("Runtime.evaluate", {"expression": "d.innerHTML = d.innerHTML"})
    second = (await TextSnapshot.take(page)).text
    assert uid_of(second, "Same") != uid_of(first, "Same")
    with pytest.raises(ElementGone):
        await page.element(uid_of(first, "Same"))


async def test_a_uid_is_never_reused_after_navigation(page: Page, site: Site) -> None:
    seen: set[str] = set()
    for _ in range(3):
        await page.navigate(site.page("<button>X</button>"))
        uid = uid_of((await TextSnapshot.take(page)).text, "X")
        assert uid not in seen
        seen.add(uid)


async def test_numbers_run_out_amid_a_snapshot(page: Page, site: Site) -> None:
    """The block left from the first snapshot is far too small for what was added."""
    await page.navigate(site.page("<div id=d><button>b</button></div>"))
    await TextSnapshot.take(page)
    add = "d.innerHTML += Array.from({length: 500}, (_, i) => `<button>n${i}</button>`).join('')"
    await page.session.send("Runtime.evaluate", {"expression": add})
    text = (await TextSnapshot.take(page)).text
    uids = [line.split()[0] for line in text.split("\n")[1:]]
    assert len(set(uids)) == len(uids) == 501
    numbers = [int(uid.removeprefix("uid=e")) for uid in uids]
    assert numbers == sorted(numbers)


async def test_blocks_are_used_up_one_after_another(page: Page, site: Site) -> None:
    await page.navigate(site.page("<p>x"))
    assert await page.main_frame.call(GIVE_UIDS, 1001, 1003) == 3
    assert await page.main_frame.call(GIVE_UIDS, 2001, 2001) == 4
    assert await page.main_frame.call(GIVE_UIDS, 5, 4) == 4


async def test_the_registry_keeps_no_node_alive(page: Page, site: Site) -> None:
    await page.navigate(site.page("<div id=d></div>"))
    fill = "d.innerHTML = '<button class=x>b</button>'.repeat(2000)"
    await page.session.send("Runtime.evaluate", {"expression": fill})
    await TextSnapshot.take(page)

    async def buttons() -> int:
        await page.session.send("HeapProfiler.collectGarbage")
        counters = await page.session.send("Memory.getDOMCounters")
        count: int = counters["nodes"]
        return count

    full = await buttons()
    await page.session.send("Runtime.evaluate", {"expression": "d.innerHTML = ''"})
    gc.collect()
    assert await buttons() < full - 3500
