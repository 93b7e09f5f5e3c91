"""A snapshot's lines as rows of a table, from which the lines can be made again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gcf
import pytest
import toon_format
from hypothesis import given
from hypothesis import strategies as st

from pagelens.browser.host import BrowserHost
from pagelens.context.mcp_context import McpContext
from pagelens.core.safe_text import one_line, quoted
from pagelens.response.formatters.snapshot import SnapshotFormatter
from pagelens.response.mcp_response import McpResponse
from pagelens.snapshot.text_snapshot import ROLE_WORDS
from tests.support.site import Site

EXAMPLE = r"""page "Orders" url=https://shop.example/orders
uid=e1 navigation "Main"
  uid=e2 link "Home" /
uid=e3 heading "Say \"hi\" \\ there" level=1
3 orders are waiting.
uid=e4 textbox "Search" focused value="lamp"
uid=e5 table "Open orders"
  row Number | Customer | Total
  uid=e6 row
    cell 1042
    "link that is a text"
unread "The frame is stuck." """.rstrip()


def line_of(row: dict[str, Any]) -> str:
    parts = [] if row["uid"] is None else [f"uid={row['uid']}"]
    parts += [] if row["role"] is None else [row["role"]]
    parts += [] if row["name"] is None else [quoted(row["name"])]
    parts += [] if row["more"] is None else [row["more"]]
    return "  " * row["depth"] + " ".join(parts)


def test_rows() -> None:
    lines = EXAMPLE.split("\n")
    rows = SnapshotFormatter.to_rows(lines)
    assert [line_of(row) for row in rows] == lines
    assert rows[0] == {
        "depth": 0,
        "uid": None,
        "role": "page",
        "name": "Orders",
        "more": "url=https://shop.example/orders",
    }
    assert rows[2] == {"depth": 1, "uid": "e2", "role": "link", "name": "Home", "more": "/"}
    assert rows[3]["name"] == 'Say "hi" \\ there'
    assert rows[4] == {"depth": 0, "uid": None, "role": None, "name": None, "more": "3 orders are waiting."}
    assert rows[8] == {"depth": 1, "uid": "e6", "role": "row", "name": None, "more": None}
    assert rows[10] == {"depth": 2, "uid": None, "role": None, "name": None, "more": '"link that is a text"'}


_TEXT = st.text(max_size=20).map(one_line)
_ELEMENTS = st.builds(
    lambda depth, uid, role, name, more: (
        "  " * depth + " ".join([*([f"uid=e{uid}"] if uid else []), role, *([quoted(name)] if name else []), *more])
    ),
    st.integers(0, 5),
    st.integers(0, 10**6),
    st.sampled_from(sorted(ROLE_WORDS)),
    _TEXT,
    st.lists(_TEXT.filter(lambda text: text and not text.startswith('"')), max_size=1),
)


@given(st.lists(st.one_of(_ELEMENTS, _TEXT.filter(bool).map("  {}".format)), max_size=10))
def test_the_lines_can_be_made_again(lines: list[str]) -> None:
    assert [line_of(row) for row in SnapshotFormatter.to_rows(lines)] == lines


@pytest.mark.parametrize("data_format", ["toon", "gcf"])
async def test_a_snapshot_is_encoded_and_its_json_stays_text(host: BrowserHost, site: Site, data_format: str) -> None:
    context = McpContext(host, replace(host.options, data_format=data_format))
    await context.ensure_browser()
    page = await context.new_page()
    context.drain_notices()
    await page.navigate(site.page('<h1>Say "hi"</h1><p>text: with, all | kinds</p><button disabled>Go</button>'))
    response = McpResponse()
    response.for_page(page)
    response.include_snapshot()
    reply = await response.handle(context)
    heading, encoded = reply.text[reply.text.index("## Snapshot") :].split("\n", 1)
    assert heading == "## Snapshot"
    found = (toon_format.decode if data_format == "toon" else gcf.decode_generic)(encoded)
    columns = ("depth", "uid", "role", "name", "more")
    shared = found.get("snapshotInCommon", {})
    rows = [{column: {**shared, **row}.get(column) for column in columns} for row in found["snapshot"]]
    assert "\n".join(line_of(row) for row in rows) == reply.structured["snapshot"]
    assert 'heading "Say \\"hi\\""' in reply.structured["snapshot"]
    await page.page.close()
    context.close()


def test_the_selected_element_is_marked() -> None:
    formatter = SnapshotFormatter(EXAMPLE, "e2")
    assert [line for line in formatter.lines if "DevTools" in line] == ['  uid=e2 link "Home" / [selected in DevTools]']
    assert SnapshotFormatter(EXAMPLE, "e1000").lines == EXAMPLE.split("\n")
