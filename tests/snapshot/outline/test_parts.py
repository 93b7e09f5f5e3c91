"""The parts of the outline, each on a small tree."""

from __future__ import annotations

from pagelens.snapshot.outline import (
    DomSimHash,
    ElementNode,
    ListDetector,
    ListPattern,
    OutlineOptions,
    SmartOutline,
    UselessWrapperRemover,
    parse_snapshot,
)
from pagelens.snapshot.outline.node import bottom_up, measure
from pagelens.snapshot.outline.ranges import UidRanges
from tests.snapshot.outline.checker import check

HEAD = 'page "Shop" url=http://127.0.0.1/shop\n'

SHOP = HEAD + "\n".join(
    [
        "uid=e1 banner",
        '  uid=e2 link "Home" /',
        '  uid=e3 searchbox "Search" focused value="a \\"red\\" lamp"',
        "uid=e4 main",
        '  uid=e5 heading "Results" level=1',
        *(
            line
            for n in range(20)
            for line in (
                "  item",
                f"    uid=e{10 + 4 * n} heading level=2",
                f'      uid=e{11 + 4 * n} link "Lamp number {n}" /lamp/{n}',
                f"    ${n}.99",
                *(["    Only 2 left"] if n == 7 else []),
                f'    uid=e{12 + 4 * n} button "Add to cart"',
                f'    uid=e{13 + 4 * n} link "Details" /d/{n}',
            )
        ),
        "  uid=e200 navigation",
        *(f'    uid=e{201 + n} link "A page with the number {n}" ?page={n}' for n in range(100)),
    ]
)


def measured(text: str) -> ElementNode:
    root = parse_snapshot(text)
    nodes = bottom_up(root)
    measure(nodes)
    hashes = DomSimHash()
    for node in nodes:
        node.signature = hashes.of(node)
    return root


def outlined(text: str, **options: int) -> str:
    return SmartOutline(OutlineOptions(**options)).generate(HEAD + text)  # type: ignore[arg-type]


def test_parse() -> None:
    root = parse_snapshot(SHOP)
    banner, main = root.children
    search = banner.children[1]
    assert (search.type, search.ref, search.content) == ("searchbox", "e3", "Search")
    assert search.states == ("focused",)
    assert search.value == 'a "red" lamp'
    assert search.has_interaction
    assert not banner.has_interaction
    assert main.children[1].type == "item"
    assert main.children[1].children[1].content == "$0.99"
    assert (banner.line, banner.end, banner.indent, search.indent) == (1, 4, 1, 2)


def test_parse_texts_rows_and_links() -> None:
    root = parse_snapshot(
        HEAD
        + 'row "" | Total\n"uid=e9 link"\nLink to us\nuid=e4 row selected\n  cell 1 042\nuid=e5 link "A" current /a=b'
    )
    row, text, other, acted, link = root.children
    assert (row.type, row.content) == ("row", '"" | Total')
    assert (text.type, text.content) == ("text", "uid=e9 link")
    assert (other.type, other.content) == ("text", "Link to us")
    assert (acted.states, acted.children[0].content) == (("selected",), "1 042")
    assert link.states == ("current",)


def test_wrappers_give_way_and_nothing_is_said_twice() -> None:
    root = parse_snapshot(
        HEAD
        + 'item\n  item\n    uid=e1 link "Save as"\n      Save\n      uid=e2 img "as"\nName\nuid=e3 textbox "Name"\n'
        + 'uid=e4 generic clickable\n  uid=e5 link "In"\nAgain\nAgain'
    )
    UselessWrapperRemover().remove(root)
    assert [(node.type, node.ref, len(node.children)) for node in root.children] == [
        ("link", "e1", 0),
        ("textbox", "e3", 0),
        ("generic", "e4", 1),  # it can be acted on
        ("text", "", 0),
    ]


def test_hashes_tell_shapes_apart_and_not_roles() -> None:
    card = '  uid=e{} link "A"\n  $1\n  uid=e{} button "Buy"\n'
    shapes = measured(
        HEAD
        + 'uid=e1 region "a"\n'
        + card.format(2, 3)
        + 'uid=e4 group "b"\n'
        + card.format(5, 6)
        + 'uid=e7 region "c"\n  uid=e8 table\n    row a | b\n    row c | d\n  uid=e9 heading "H" level=2'
    ).children
    one, other, unlike = (node.signature for node in shapes)
    assert DomSimHash.distance(one, other) == 0
    assert DomSimHash.distance(one, unlike) > 3


def test_runs() -> None:
    siblings = measured(
        HEAD
        + "\n".join(f'uid=e{n} link "L{n}"' for n in range(1, 4))
        + '\nuid=e4 heading "H" level=2\nuid=e5 button "apart"\n'
        + "\n".join(f'uid=e{10 + n} link "T{n}"\n({n})' for n in range(3))
        + '\nuid=e20 button "a"\nuid=e21 button "b"'
    ).children
    found = ListDetector().detect(siblings)
    patterns = [part for part in found if isinstance(part, ListPattern)]
    assert [(p.type, p.start, p.end, p.count, p.period) for p in patterns] == [
        ("structural", 0, 3, 3, 1),
        ("structural", 5, 11, 3, 2),
    ]
    assert patterns[0].refs == ("e1", "e2", "e3")
    assert patterns[0].sample == (siblings[0],)
    assert next(part.type for part in found if isinstance(part, ElementNode)) == "heading"


def test_items_of_a_list_differ_and_are_one_run_all_the_same() -> None:
    outline = outlined(
        "\n".join(
            f'item\n  uid=e{3 * n} link "Item {n}"\n  uid=e{3 * n + 1} button "{"Buy" if n % 2 else "Sold"}"'
            + f"\n  A longer text that says something about number {n}" * (n % 3)
            for n in range(1, 9)
        )
    )
    assert "7 more such items" in outline
    assert "e6 Item 2 | b:e7 | A longer text" in outline
    assert "e9 Item 3 | a:e10" in outline


def test_what_a_page_says_can_not_be_taken_for_ours() -> None:
    names = ["[e900-e999]", "e77", 'say "hi"', "a · b", "… 3 more", "a | b", "x [checked]"]
    snapshot = "\n".join('uid=e{} link "{}"'.format(n, name.replace('"', '\\"')) for n, name in enumerate(names, 1))
    outline = outlined(snapshot)
    assert check(HEAD + snapshot, outline).faults == {}
    assert '7 × link: e1 "[e900-e999]" · e2 "e77" · e3 "say \\"hi\\""' in outline


def test_ranges_hold_what_is_hidden_and_nothing_else() -> None:
    root = parse_snapshot(HEAD + "\n".join(f'uid=e{n} link "x"' for n in (1, 2, 5, 9, 3, 12)))
    ranges = UidRanges(root)
    assert ranges.text([(2, 5)]) == "[e2, e5-e9]"  # 3 lies elsewhere
    assert ranges.text([(1, 3), (6, 7)]) == "[e1-e2, e12]"
    assert ranges.text([]) == ""


def test_ranges_over_scattered_uids_go_by_the_order_of_the_page() -> None:
    uids = [n * 37 % 101 for n in range(1, 101)]
    ranges = UidRanges(parse_snapshot(HEAD + "\n".join(f'uid=e{n} link "x"' for n in uids)))
    assert ranges.text([(31, 81)]) == f"[e{uids[30]}…e{uids[79]}]"


def test_a_shop() -> None:
    smart = SmartOutline()
    outline = smart.generate(SHOP)
    verdict = check(SHOP, outline)
    assert verdict.faults == {}
    assert verdict.never == []
    assert verdict.own >= 100
    lines = outline.split("\n")
    assert lines[0] == f"Page outline ({len(lines)}/{SHOP.count(chr(10)) + 1} lines)"
    assert (smart.stats.raw, smart.stats.folded) == (SHOP.count("\n") + 1, len(lines))
    assert all(f"Lamp number {n}" in outline and f"${n}.99" in outline for n in range(20))
    assert "Only 2 left" in outline
    assert 'e3 searchbox "Search" [focused] ="a \\"red\\" lamp"' in outline
    assert '(a=button "Add to cart", b=link "Details")' in outline


def test_names_are_printed_until_there_are_enough() -> None:
    outline = outlined(
        'uid=e1 list "Tags"\n' + "\n".join(f'  uid=e{n} link "Tag with number {n}"' for n in range(2, 2002))
    )
    verdict = check("\n".join(f'uid=e{n} link "Tag with number {n}"' for n in range(2, 2002)), outline)
    assert verdict.names_said >= 0.6 * 2000
    assert "more [e" in outline


def test_every_budget_is_kept() -> None:
    before = ""
    for lines in (1000, 40, 30, 20, 15, 10):
        outline = SmartOutline(OutlineOptions(max_lines=lines)).generate(SHOP)
        assert outline.count("\n") + 1 <= lines
        assert check(SHOP, outline).faults == {}
        assert before == "" or len(outline) <= len(before)
        before = outline
    assert len(SmartOutline(OutlineOptions(max_tokens=400)).generate(SHOP)) < 2000
    assert "e4 main … " in SmartOutline(OutlineOptions(depth=1)).generate(SHOP)


def test_the_checker_sees_each_fault() -> None:
    outline = SmartOutline(OutlineOptions(max_lines=30)).generate(SHOP)
    lines = outline.split("\n")
    at = next(n for n, line in enumerate(lines) if "more [e" in line)
    without = "\n".join(lines[:at] + lines[at + 1 :])
    assert "lost" in check(SHOP, without).faults
    assert "overlapping" in check(SHOP, outline + "\n… 3 more [e2-e3]").faults
    assert "unknown" in check(SHOP, outline + "\n e999 link").faults
    assert check(SHOP, "\n".join([*lines[:2], *reversed(lines[2:])])).inversions
    assert "unlike" in check(SHOP, "a\nb\n 2 × link: e2 Home · e3 Search").faults
    assert check(SHOP, without.replace("Results", "")).never
