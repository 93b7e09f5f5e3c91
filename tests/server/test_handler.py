"""The pipeline: each step in its place, each failure in words, the lock always given back."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pagelens.core.options import Options
from pagelens.errors import LaunchFailed
from pagelens.response.mcp_response import RenderedResponse
from pagelens.server import handler as handler_module
from pagelens.server.handler import ToolHandler
from pagelens.server.locks import Locks
from tests.server.toys import EVENTS, ToyContext, ToyDialog, gate

Make = Callable[..., ToolHandler]


async def call(handler: ToolHandler, **arguments: Any) -> RenderedResponse:
    arrived = handler.arrive(arguments)
    try:
        async with asyncio.timeout(10):
            return await arrived.run()
    finally:
        arrived.release()


@pytest.fixture
def resolved(tmp_path: Path) -> Path:
    return tmp_path.resolve()


# -- arguments -----------------------------------------------------------------------------------------


async def test_a_call_runs_and_replies(handler: Make) -> None:
    reply = await call(handler("echo"), text="hello", times=2, loud=True)
    assert (reply.text, reply.is_error) == ("HELLO\nHELLO", False)
    assert EVENTS == ["browser", "echo"]


async def test_a_disabled_tool_names_its_flag_and_nothing_else_happens(handler: Make) -> None:
    reply = await call(handler("hidden"), nonsense=1)
    assert reply.is_error
    assert (
        reply.text == "Error (tool_disabled): hidden is switched off. Start pagelens with --category-webmcp to have it."
    )
    assert EVENTS == []
    assert (await call(handler("hidden", Options(categories={"webmcp": True})))).text == "seen"


async def test_all_wrong_arguments_are_named_at_once_before_any_browser_starts(handler: Make) -> None:
    reply = await call(handler("echo"), txet="x", times=9, loud="perhaps", voice="middle")
    assert reply.is_error
    for words in (
        'there is no "txet" (did you mean text?)',
        "text is missing",
        "times must be less than or equal to 5, not 9",
        'loud must be true or false, not "perhaps"',
        "voice must be 'high' or 'low', not \"middle\"",
        "echo takes text, and optionally times, loud, voice.",
    ):
        assert words in reply.text, reply.text
    assert EVENTS == []


async def test_what_can_only_be_meant_one_way_is_taken(handler: Make) -> None:
    reply = await call(handler("echo"), text=12, times="2", loud=None)
    assert reply.text == "12\n12"
    assert (await call(handler("echo"), text="x", times=True)).is_error  # true is not 1


async def test_a_hostile_number_of_wrong_names_gives_a_short_error(handler: Make) -> None:
    reply = await call(handler("echo"), text="x", **{f"{'z' * 10_000}{number}": 1 for number in range(1000)})
    assert reply.is_error
    assert "990 more unknown arguments" in reply.text
    assert len(reply.text) < 2_000


async def test_page_id_is_an_argument_of_page_tools_unless_routing_is_off(handler: Make) -> None:
    gate("look").set()
    assert "looked at page 1" in (await call(handler("look"), pageId=1)).text
    refused = await call(handler("look", Options(page_id_routing=False)), pageId=1)
    assert 'there is no "pageId"' in refused.text


# -- browser, page, dialog, paths ----------------------------------------------------------------------


async def test_a_browser_that_can_not_start_is_told_and_leaves_no_lock(
    handler: Make, context: ToyContext, locks: Locks
) -> None:
    context.start_failure = LaunchFailed("Chrome ended at once.", "Run pagelens doctor.")
    reply = await call(handler("poke"))
    assert reply.text == "Error (launch_failed): Chrome ended at once. Run pagelens doctor."
    assert len(locks) == 0


async def test_an_unknown_page_is_an_error(handler: Make, locks: Locks) -> None:
    reply = await call(handler("look"), pageId=77)
    assert "Error (page_not_found): There is no page 77." in reply.text
    assert len(locks) == 0


async def test_the_page_is_fixed_when_the_call_arrives(handler: Make, context: ToyContext) -> None:
    context.add(1)
    context.add(2)
    arrived = handler("look").arrive({})
    context.selected_id = 2
    gate("look").set()
    assert "looked at page 1" in (await arrived.run()).text


async def test_a_page_closed_while_the_call_waited_is_told(handler: Make, context: ToyContext) -> None:
    page = context.add(1)
    context.add(2)
    first = asyncio.create_task(call(handler("poke"), name="first"))
    await EVENTS.until("first begins")
    second = asyncio.create_task(call(handler("poke"), name="second"))
    await asyncio.sleep(0)
    page.page.closed = "closed by the user"
    context.open.pop(1)
    context.selected_id = 2
    gate("first").set()
    await first
    assert "Page 1 was closed before poke could start: closed by the user" in (await second).text
    assert "second begins" not in EVENTS


async def test_an_open_dialog_refuses_with_type_message_and_the_way_out(handler: Make, context: ToyContext) -> None:
    context.add(1).page.dialog = ToyDialog("prompt", "Your name?")
    reply = await call(handler("press"))
    assert reply.is_error
    for words in ("Error (dialog_open)", 'prompt "Your name?"', "Call handle_dialog"):
        assert words in reply.text
    assert "press" not in EVENTS
    gate("look").set()
    assert not (await call(handler("look"))).is_error  # reading tools that don't need the page free still run


async def test_paths_are_verified_before_the_dialog_and_the_handler(
    handler: Make, context: ToyContext, resolved: Path
) -> None:
    context.add(1).page.dialog = ToyDialog()
    reply = await call(handler("press"), filePath="/proc/nope")
    assert "Error (path_not_allowed)" in reply.text
    context.open[1].page.dialog = None
    reply = await call(handler("press"), filePath=str(resolved / "note"))
    assert reply.text == f"path {resolved}/note.txt"


# -- what handlers do ----------------------------------------------------------------------------------


async def test_a_refusal_keeps_what_was_declared_and_comes_last(handler: Make) -> None:
    reply = await call(handler("refuse"))
    assert reply.is_error
    assert reply.text == "this far it came\nError (element_gone): uid=e1 is gone. Take a new snapshot."


async def test_a_bug_is_one_sentence_in_the_reply_and_a_traceback_in_the_log(
    handler: Make, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR, logger="pagelens"):
        reply = await call(handler("break"))
    assert reply.is_error
    assert reply.text.startswith("so far so good\nError (internal_error): break failed")
    assert "stderr" in reply.text
    assert "secret detail" not in reply.text
    assert "Traceback" not in reply.text
    assert "secret detail" in caplog.text
    named = await call(handler("break", Options(log_file="/tmp/lens.log")))
    assert "/tmp/lens.log" in named.text


async def test_a_late_handler_is_ended_and_what_it_declared_is_kept(handler: Make) -> None:
    reply = await call(handler("slow"))
    assert reply.text.startswith("began\nError (deadline_exceeded): slow took longer than 0.05 s")
    assert "slow cancelled" in EVENTS


async def test_deadlines_without_a_timeout_stay_below_the_highest(handler: Make) -> None:
    for arguments, expected in (({}, 30), ({"timeout": 5_000}, 30), ({"timeout": 120_000}, 130)):
        arrived = handler("look").arrive(arguments)
        assert arrived._limit() == expected
        arrived.release()
    late = handler("look").arrive({})
    late._arrived -= 45  # it waited that long for its page and its browser
    assert late._limit() == handler_module.LEAST
    late.release()


async def test_deadlines_are_longer_on_a_throttled_page(handler: Make, context: ToyContext) -> None:
    """As far as the highest allows; beyond that only for a client that hears of progress."""
    context.add(1).emulation.patience = 4.0
    for arguments, has_progress, expected in (
        ({}, False, 35),
        ({}, True, 120),
        ({"timeout": 5_000}, False, 30),
        ({"timeout": 120_000}, True, 130),
    ):
        arrived = handler("look").arrive(arguments)
        arrived._has_progress = has_progress
        assert arrived._limit() == pytest.approx(expected, abs=1)
        arrived.release()
    context.open[1].emulation.patience = 1.0
    arrived = handler("look").arrive({})
    arrived._has_progress = True
    assert arrived._limit() == 30
    arrived.release()


# -- locks ---------------------------------------------------------------------------------------------


async def test_reads_share_a_page_and_a_write_waits_its_turn(handler: Make, context: ToyContext, locks: Locks) -> None:
    context.add(1)
    names = [("look", "r1"), ("look", "r2"), ("poke", "w"), ("look", "r3")]
    tasks = [asyncio.create_task(call(handler(tool), name=name)) for tool, name in names]
    await EVENTS.until("r1 begins", "r2 begins")
    assert "w begins" not in EVENTS
    gate("r2").set()
    gate("r1").set()
    await EVENTS.until("w begins")
    assert "r3 begins" not in EVENTS
    gate("w").set()
    await EVENTS.until("r3 begins")
    gate("r3").set()
    await asyncio.gather(*tasks)
    assert len(locks) == 0


async def test_pages_do_not_wait_for_each_other(handler: Make, context: ToyContext) -> None:
    context.add(1)
    context.add(2)
    stuck = asyncio.create_task(call(handler("poke"), name="stuck"))
    await EVENTS.until("stuck begins")
    gate("free").set()
    assert "poked page 2" in (await call(handler("poke"), name="free", pageId=2)).text
    gate("stuck").set()
    await stuck


async def test_calls_before_there_is_a_page_still_queue_for_it(
    handler: Make, context: ToyContext, locks: Locks
) -> None:
    """Two writes arrive with no browser, a third once it runs: never two of them on the page at once."""
    context.starting = asyncio.Event()
    early = [asyncio.create_task(call(handler("poke"), name=name)) for name in ("first", "second")]
    await EVENTS.until("browser")
    context.starting.set()
    await EVENTS.until("first begins")
    late = asyncio.create_task(call(handler("poke"), name="late"))
    for name in ("first", "second", "late"):
        running = [event for event in EVENTS if event.endswith("begins")]
        done = [event for event in EVENTS if event.endswith("ends")]
        assert len(running) - len(done) <= 1, EVENTS
        gate(name).set()
        await asyncio.sleep(0)
    await asyncio.gather(*early, late)
    order = [event for event in EVENTS if event != "browser"]
    assert [order[index].split()[0] == order[index + 1].split()[0] for index in (0, 2, 4)] == [True] * 3
    assert len(locks) == 0


@pytest.mark.parametrize("moment", ["waiting for the lock", "waiting for the browser", "in the handler"])
async def test_cancellation_gives_the_lock_back(moment: str, handler: Make, context: ToyContext, locks: Locks) -> None:
    context.add(1)
    holder = None
    if moment == "waiting for the lock":
        holder = asyncio.create_task(call(handler("poke"), name="holder"))
        await EVENTS.until("holder begins")
    if moment == "waiting for the browser":
        context.starting = asyncio.Event()
    task = asyncio.create_task(call(handler("poke"), name="victim"))
    await (EVENTS.until("victim begins") if moment == "in the handler" else asyncio.sleep(0))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    if holder is not None:
        gate("holder").set()
        await holder
    assert len(locks) == 0
    if context.starting is not None:
        context.starting.set()
    gate("next").set()
    assert not (await call(handler("poke"), name="next")).is_error


async def test_a_call_that_never_runs_gives_its_place_back(handler: Make, context: ToyContext, locks: Locks) -> None:
    context.add(1)
    arrived = handler("poke").arrive({})
    assert len(locks) == 1
    arrived.release()
    assert len(locks) == 0


async def test_a_wait_in_vain_names_the_tool_that_holds_the_page(
    handler: Make, context: ToyContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    context.add(1)
    stuck = asyncio.create_task(call(handler("poke"), name="stuck"))
    await EVENTS.until("stuck begins")
    waiting = handler("look").arrive({})
    assert waiting._place is not None
    turn = waiting._place.turn
    monkeypatch.setattr(waiting._place, "turn", lambda: turn(timeout=0.01))
    reply = await waiting.run()
    assert "Error (lock_timeout): Page 1 is busy: poke, for" in reply.text
    gate("stuck").set()
    await stuck


# -- telemetry -----------------------------------------------------------------------------------------


async def test_telemetry_hears_of_every_end(handler: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[tuple[str, int, str | None]] = []
    monkeypatch.setattr(
        handler_module, "record_call", lambda tool, seconds, size, code: heard.append((tool, size, code))
    )
    await call(handler("echo"), text="héllo")
    await call(handler("refuse"))
    await call(handler("break"))
    await call(handler("hidden"))
    task = asyncio.create_task(call(handler("look")))
    await EVENTS.until("look begins")
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert [(tool, code) for tool, _, code in heard] == [
        ("echo", None),
        ("refuse", "element_gone"),
        ("break", "internal_error"),
        ("hidden", "tool_disabled"),
        ("look", "cancelled"),
    ]
    assert heard[0][1] == 6


async def test_the_page_used_is_named_when_it_might_not_be_the_one_meant(handler: Make, context: ToyContext) -> None:
    gate("look").set()
    assert "was used" not in (await call(handler("look"))).text
    context.is_one_of_several = True
    assert "Page 1 was used: " in (await call(handler("look"))).text
    assert "was used" not in (await call(handler("look"), pageId=1)).text
