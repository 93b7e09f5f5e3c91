"""Every reply keeps to its budget, whatever is long in it; what is cut is said, with the way to all of it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pagelens.browser.host import BrowserHost
from pagelens.context.mcp_context import McpContext
from pagelens.core.options import Options
from pagelens.errors import FileFailed, PagelensError, ScriptFailed
from pagelens.response.budget import cut_text, fit, shares, trimmed
from pagelens.response.listing import Listing, table
from pagelens.response.mcp_response import McpResponse, RenderedResponse
from pagelens.response.order import Order
from pagelens.response.output import Output, json_size
from pagelens.response.pagination import paginate
from pagelens.response.section import Section
from pagelens.response.sections.error import ErrorSection
from pagelens.response.slim_response import SlimMcpResponse

LIMIT = 10_000


# -- a text ----------------------------------------------------------------------------------------------


def test_short_text_stays() -> None:
    cut = cut_text("a\nb", 3)
    assert (cut.text, cut.is_cut, cut.shown_lines, cut.total_lines) == ("a\nb", False, 2, 2)


def test_whole_lines() -> None:
    cut = cut_text("aaaa\nbbbb\ncccc", 9)
    assert (cut.text, cut.is_cut, cut.shown_lines, cut.total_lines) == ("aaaa\nbbbb", True, 2, 3)
    assert cut_text("aaaa\nbbbb\ncccc", 8).text == "aaaa"
    # A short line before a very long one is not all there is to see.
    assert cut_text("a\n" + "b" * 100, 20).text == "a\n" + "b" * 18


def test_one_line_that_is_too_long_is_cut_inside() -> None:
    assert cut_text("aaaaaa", 4).text == "aaaa"


@given(st.text("ab\n", max_size=60), st.integers(1, 60))
def test_never_more_than_the_limit_and_always_a_beginning(text: str, limit: int) -> None:
    cut = cut_text(text, limit)
    assert len(cut.text) <= limit
    assert text.startswith(cut.text)
    assert cut.is_cut == (cut.text != text)
    assert cut.total_chars == len(text)


# -- who gets what ---------------------------------------------------------------------------------------


def test_short_ones_get_all_they_need_and_long_ones_share_the_rest() -> None:
    assert shares([10, 20, 30], [False] * 3, 100) == [10, 20, 30]
    assert shares([1000, 10, 1000], [False] * 3, 100) == [45, 10, 45]
    assert shares([1000, 30, 40], [False, True, False], 100) == [35, 30, 35]
    assert shares([1000, 300], [False, True], 100) == [0, 300]


@given(st.lists(st.tuples(st.integers(0, 1000), st.booleans()), max_size=8), st.integers(0, 3000))
def test_shares(blocks: list[tuple[int, bool]], limit: int) -> None:
    sizes, kept = [size for size, _ in blocks], [is_kept for _, is_kept in blocks]
    found = shares(sizes, kept, limit)
    of_kept = sum(size for size, is_kept in blocks if is_kept)
    assert sum(found) <= max(limit, of_kept)
    for share, (size, is_kept) in zip(found, blocks, strict=True):
        assert share == size if is_kept else 0 <= share <= size
    # Nobody who was cut has less than another one.
    cut = [share for share, (size, is_kept) in zip(found, blocks, strict=True) if not is_kept and share < size]
    assert all(share <= least + 1 for least in cut for share in found[:0] + cut)
    if sum(sizes) <= limit:
        assert found == sizes


_JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(0, 10**6), st.text(max_size=300)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=8), st.dictionaries(st.text("abc", max_size=3), inner, max_size=5)
    ),
    max_leaves=30,
)


@given(st.dictionaries(st.sampled_from(["one", "two", "three"]), _JSON), st.integers(200, 2_000))
def test_json_is_trimmed_to_about_the_limit_and_keeps_its_shape(value: dict[str, Any], limit: int) -> None:
    found = trimmed(value, limit)
    assert found.keys() == value.keys()
    assert type(found) is type(value)
    if json_size(value) <= limit:
        assert found == value
    # What can't be shortened (keys, numbers, one item of each list) stays.
    assert json_size(found) <= limit + json_size(_bones(value))


def _bones(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _bones(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_bones(inner) for inner in value[:1]]
    return value[:1] + "…" if isinstance(value, str) and len(value) > 1 else value


def test_what_is_short_in_json_stays_whole() -> None:
    found = trimmed({"id": 7, "url": "http://x/", "body": "y" * 900}, 100)
    assert (found["id"], found["url"]) == (7, "http://x/")
    assert 40 < found["body"].count("y") < 70
    assert trimmed(list(range(100)), 20) == list(range(9))
    assert trimmed("one\ntwo\nthree", 11) == "one\ntwo…"


# -- a reply ---------------------------------------------------------------------------------------------


def context_with(**options: Any) -> McpContext:
    chosen = Options(max_reply_chars=LIMIT, **options)
    return McpContext(BrowserHost(chosen), chosen)


class _Long:
    """A section of our choosing."""

    key: ClassVar[str] = "story"
    lines: ClassVar[Sequence[str]] = ()
    json: ClassVar[dict[str, Any]] = {}

    def wanted(self, order: Order) -> bool:
        return True

    async def compute(self, order: Order, context: McpContext) -> None:
        pass

    def render(self, out: Output) -> None:
        for line in self.lines:
            out.line(line)
        out.json |= self.json


class _List(_Long):
    """A paged list of numbered items, each `chars` long."""

    key: ClassVar[str] = "list of things"
    list_key: ClassVar[str] = "things"
    total: ClassVar[int] = 500
    chars: ClassVar[int] = 100
    size: ClassVar[int] = 500
    idx: ClassVar[int] = 0

    def render(self, out: Output) -> None:
        out.heading("Things")
        out.items(
            Listing(
                key=self.list_key,
                page=paginate(range(self.total), self.size, self.idx),
                text=lambda items: [f"{item} {'x' * self.chars}" for item in items],
                data=lambda items: table(
                    self.list_key, [{"id": item, "text": f"{'x' * self.chars}{item}"} for item in items]
                ),
                json=lambda items: [{"id": item, "text": "x" * self.chars} for item in items],
            )
        )


def long(name: str, base: type[_Long] = _Long, **what: Any) -> type[_Long]:
    return type(name, (base,), {"key": name, **what})


async def show(
    context: McpContext, *sections: type[Section], base: type[McpResponse] = McpResponse, error: Exception | None = None
) -> RenderedResponse:
    response = type("Response", (base,), {"sections": (*sections, ErrorSection)})()
    if error is not None:
        response.set_error(error)
    reply: RenderedResponse = await response.handle(context)
    assert len(reply.text) <= context.options.max_reply_chars
    if context.options.structured_content:
        assert json_size(reply.structured) <= context.options.max_reply_chars
    return reply


def file_named(reply: RenderedResponse, key: str = "filePath") -> Path:
    (cut,) = reply.structured["cut"]
    path = Path(cut[key])
    assert path.is_absolute()
    return path


async def test_what_fits_is_left_alone() -> None:
    reply = await show(context_with(), long("story", lines=["a", "b"]))
    assert reply.text == "a\nb"
    assert "cut" not in reply.structured


async def test_a_long_text_is_cut_between_lines_and_all_of_it_is_in_a_file() -> None:
    context = context_with()
    lines = [f"line {number} {'x' * 50}" for number in range(1000)]
    reply = await show(context, long("story", lines=lines))
    path = file_named(reply)
    assert path.read_text() == "\n".join(lines)
    shown = reply.text.split("\n")
    assert shown[:-1] == lines[: len(shown) - 1]
    assert len(shown) > 100
    whole = len("\n".join(lines))
    assert shown[-1] == (
        f"Cut: {len(shown) - 1} of 1000 lines are shown ({len(chr(10).join(shown[:-1]))} of {whole} characters). "
        f"All of it: {path}"
    )
    assert reply.structured["cut"] == [{"section": "story", "filePath": str(path)}]
    assert path.stat().st_mode & 0o077 == 0 or path.parent.stat().st_mode & 0o077 == 0
    context.close()
    assert not path.parent.exists()


async def test_one_long_line() -> None:
    reply = await show(context_with(), long("story", lines=["y" * 100_000]))
    assert reply.text.startswith("y" * 9_000)
    assert file_named(reply).read_text() == "y" * 100_000


async def test_the_first_long_block_does_not_starve_the_others() -> None:
    context = context_with()
    sections = [long(name, lines=[f"{name} {number}" for number in range(2000)]) for name in ("first", "second")]
    reply = await show(context, sections[0], long("short", lines=["short"]), sections[1])
    assert [cut["section"] for cut in reply.structured["cut"]] == ["first", "second"]
    counts = [len(re.findall(rf"^{name} \d+$", reply.text, re.M)) for name in ("first", "second")]
    assert min(counts) > 200
    assert "\nshort\n" in reply.text
    context.close()


async def test_a_list_shows_fewer_items_and_the_rest_is_on_the_next_page() -> None:
    class Next(_List):
        pass

    context = context_with()
    seen: list[int] = []
    size, idx = 500, 0
    for _ in range(20):
        Next.size, Next.idx = size, idx
        reply = await show(context, Next)
        assert "cut" not in reply.structured
        items = [item["id"] for item in reply.structured["things"]]
        page = reply.structured["pagination"]
        assert (page["startIndex"], page["endIndex"]) == (items[0], items[-1] + 1)
        assert items[0] == len(seen)
        seen += items
        found = re.search(r"Next: (?:pageSize (\d+), )?pageIdx (\d+)\.", reply.text)
        assert (found is not None) == page["hasNextPage"]
        if found is None:
            break
        size, idx = int(found[1] or size), int(found[2])
    assert seen == list(range(500))
    assert size % 10 == 0


async def test_a_page_in_the_middle_that_does_not_fit_loses_nothing() -> None:
    reply = await show(context_with(), long("list", _List, total=1000, size=250, idx=2))
    page = reply.structured["pagination"]
    assert page["startIndex"] == 500
    found = re.search(r"Next: pageSize (\d+), pageIdx (\d+)\. Previous: pageSize \1, pageIdx (\d+)\.", reply.text)
    assert found is not None, reply.text[:300]
    size, following, before = (int(number) for number in found.groups())
    assert following * size <= page["endIndex"] < (following + 1) * size
    assert before * size < 500 <= (before + 1) * size


@pytest.mark.parametrize("data_format", ["toon", "gcf"])
async def test_encoded_lists_keep_to_the_budget_too(data_format: str) -> None:
    context = context_with(data_format=data_format)
    reply = await show(context, long("list", _List, list_key="rows"))
    assert f"rows {'[' if data_format == 'gcf' else ''}".strip() in reply.text
    assert 30 < len(reply.structured["rows"]) < 500


async def test_items_that_are_too_long_one_by_one() -> None:
    reply = await show(context_with(), long("list", _List, total=5, chars=20_000))
    assert len(reply.structured["things"]) == 1
    assert "Showing 1-1 of 5 (page 1 of 5): no more fit. Next: pageSize 1, pageIdx 1." in reply.text
    assert file_named(reply).read_text().count("x" * 20_000) == 1


async def test_a_fence_is_closed_before_the_cut_is_said() -> None:
    context = context_with()
    response = McpResponse()
    response.attach_result("a\n" * 20_000 + "```\nb", note="a note")
    reply = await response.handle(context)
    lines = reply.text.split("\n")
    assert lines[:2] == ["Result:", "````"]
    assert lines[-2] == "````"
    assert lines[-1].startswith("Cut: ")
    assert len(reply.text) <= LIMIT
    context.close()


async def test_the_error_and_the_notices_are_never_cut() -> None:
    context = context_with()
    error = ScriptFailed("y" * 50_000, "Do this.")
    reply = await show(context, long("story", lines=["line"] * 10_000), error=error)
    assert reply.text.endswith("y… Do this.")
    assert reply.is_error
    assert "Cut: " in reply.text
    context.close()


async def test_why_a_block_is_missing_is_said_in_few_words() -> None:
    class Broken(_Long):
        def render(self, out: Output) -> None:
            raise PagelensError("z" * 50_000)

    reply = await show(context_with(), Broken, long("story", lines=["line"] * 10_000))
    assert reply.text.startswith("Could not show the story: zzz")
    assert "line" in reply.text


async def test_slim_replies_have_the_same_budget() -> None:
    context = context_with()
    response = SlimMcpResponse()
    response.attach_result("v" * 50_000)
    response.append_line("w\n" * 20_000)
    reply = await response.handle(context)
    assert len(reply.text) <= LIMIT
    assert [cut["section"] for cut in reply.structured["cut"]] == ["message", "result"]
    assert "vvv" in reply.text
    context.close()


async def test_the_json_has_a_budget_of_its_own() -> None:
    context = context_with(structured_content=True)
    body = {"story": {"id": 7, "body": "b" * 40_000, "list": list(range(9_000))}}
    reply = await show(
        context, long("story", lines=["short"], json=body), long("more", lines=["more"], json={"more": 1})
    )
    assert reply.text == "short\nmore"
    assert reply.structured["story"]["id"] == 7
    assert reply.structured["story"]["body"].endswith("b…")
    assert reply.structured["story"]["list"][:3] == [0, 1, 2]
    assert reply.structured["more"] == 1
    path = file_named(reply, "jsonFilePath")
    assert json.loads(path.read_text()) == body
    context.close()


async def test_json_that_is_not_sent_makes_no_list_shorter() -> None:
    items = {True: 0, False: 0}
    for sent in items:
        reply = await show(context_with(structured_content=sent), long("list", _List, total=150, chars=50))
        items[sent] = len(reply.structured["things"])
    assert items[True] < items[False] == 150


async def test_text_and_json_of_a_list_show_the_same_items() -> None:
    reply = await show(context_with(structured_content=True), _List)
    assert [int(line.split()[0]) for line in reply.text.split("\n")[2:]] == [
        item["id"] for item in reply.structured["things"]
    ]


async def test_a_file_that_can_t_be_written_is_said_and_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    async def full(name: str, data: bytes) -> Path:
        raise FileFailed("The disk is full.")

    context = context_with(structured_content=True)
    monkeypatch.setattr(context, "keep_file", full)
    reply = await show(context, long("story", lines=["line"] * 9_000, json={"story": "z" * 90_000}))
    assert reply.text.split("\n")[-1].endswith(
        "The rest could not be kept (The disk is full.); a larger --max-reply-chars shows more."
    )
    assert reply.structured["cut"] == [{"section": "story", "lost": "The disk is full."}]
    assert not reply.is_error


_BLOCKS = st.lists(
    st.tuples(
        st.integers(0, 3_000),  # lines
        st.integers(0, 300),  # characters of each
        st.integers(0, 30_000),  # characters of JSON
        st.booleans(),  # whether it is a list
    ),
    min_size=1,
    max_size=5,
)


@given(_BLOCKS, st.booleans(), st.sampled_from([None, "toon", "gcf"]))
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow], deadline=None)
async def test_no_reply_is_longer_than_its_budget(
    blocks: list[tuple[int, int, int, bool]], with_json: bool, data_format: str | None
) -> None:
    context = context_with(structured_content=with_json, data_format=data_format)
    sections = []
    for number, (lines, chars, json_chars, is_list) in enumerate(blocks):
        if is_list:
            sections.append(long(f"list {number}", _List, total=lines, chars=chars, list_key=f"list{number}"))
        else:
            text = [f"{number} {'y' * chars}"] * lines
            sections.append(long(f"story {number}", lines=text, json={f"story{number}": "j" * json_chars}))
    error = ScriptFailed("e" * 9_000) if len(blocks) > 2 else None
    reply = await show(context, *sections, error=error)
    # Whatever is not there is told: a list says its range, all else that it was cut.
    cut = {found["section"] for found in reply.structured.get("cut", [])}
    for number, (lines, chars, _, is_list) in enumerate(blocks):
        shown = sum(line.startswith(f"{number} ") for line in reply.text.split("\n"))
        if not is_list and shown < lines and chars:
            assert f"story {number}" in cut
    context.close()


async def test_the_files_are_numbered_and_the_oldest_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pagelens.context.kept_files.MOST", 3)
    context = context_with()
    paths = [await context.keep_file("a.txt", b"x") for _ in range(5)]
    assert [path.name for path in paths] == [f"a-{number}.txt" for number in range(1, 6)]
    assert [path.exists() for path in paths] == [False, False, True, True, True]
    context.close()
    assert not paths[-1].parent.exists()
    context.close()


async def test_fit_alone() -> None:
    async def never(name: str, data: bytes) -> Path:
        raise AssertionError("nothing is cut")

    out = Output("x")
    out.line("a")
    await fit([out], 10, with_json=False, keep=never)
    assert out.text == "a"
