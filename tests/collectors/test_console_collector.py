"""The console's record: every message once, as the console would show it, and nothing kept alive for long."""

from __future__ import annotations

import pytest

from pagelens.collectors.console_message import ConsoleMessage
from tests.collectors.conftest import Recorder
from tests.support.site import Site


async def said(recorder: Recorder, site: Site, script: str, count: int) -> list[ConsoleMessage]:
    """What the console has after a page ran `script`, once there are `count` messages."""
    await recorder.page.navigate(site.page(f"<body><script>{script}</script>"))
    return await recorder.until(lambda: m if len(m := recorder.console.get_data()) >= count else None)  # type: ignore[no-any-return]


CALLS = [
    # (script, type, text)
    ("console.log('plain', 1, true, null, undefined, -0, NaN, 10n)", "log", "plain 1 true null undefined -0 NaN 10n"),
    ("console.log('%s is %d years, %i, %f%%', 'Ann', '42px', 3.9, '1.5x')", "log", "Ann is 42 years, 3, 1.5%"),
    ("console.log('%cred%c plain', 'color: red', '')", "log", "red plain"),
    ("console.log('%o and %O', {a: 1}, [1, 'x'])", "log", "{a: 1} and [1, 'x']"),
    ("console.log('100% sure', 5)", "log", "100% sure 5"),
    ("console.log('%s and %s', 'one')", "log", "one and %s"),
    ("console.log('%d', Symbol('x'), 'rest')", "log", "NaN rest"),
    ("console.log('%s')", "log", "%s"),
    ("console.log('100%%')", "log", "100%"),
    (
        "console.log({a: 1, b: [1, 2, 3], c: 'str', d: {e: 1}, f() {}, g: 1})",
        "log",
        "{a: 1, b: Array(3), c: 'str', d: {…}, f: ƒ, …}",
    ),
    ("console.log([1, 'x', {a: 1}, [2]])", "log", "[1, 'x', {…}, Array(1)]"),
    (
        "console.log(new Map([['a', {x: 1}], [1, 2]]), new Set([1, 'b']))",
        "log",
        "Map(2) {'a' => {x: 1}, 1 => 2} Set(2) {1, 'b'}",
    ),
    ("console.log(function foo(a, b) { return a }, class X {}, () => 1)", "log", "ƒ foo(a, b) class X ƒ () => 1"),
    ("console.log(document.body, document.createElement('p'))", "log", "<body> <p>"),
    ("console.log(new Date(0).getTime(), /re/g, Symbol('q'))", "log", "0 /re/g Symbol(q)"),
    ("console.log(new (class Foo { constructor() { this.z = 1 } }))", "log", "Foo {z: 1}"),
    ("console.log(Promise.resolve(3))", "log", "Promise {<fulfilled>: 3}"),
    ("console.log(Array(101).fill(7).length, Array(101).fill(7).slice(0, 2))", "log", "101 [7, 7]"),
    ("console.log(new Uint8Array(3))", "log", "Uint8Array(3) [0, 0, 0]"),
    (
        "console.log(new Error('E1', {cause: new TypeError('inner')}))",
        "log",
        "Error: E1 (cause: TypeError: inner)",
    ),
    ("console.info('i')", "info", "i"),
    ("console.debug('d')", "debug", "d"),
    ("console.warn('w')", "warn", "w"),
    ("console.error('e', 1)", "error", "e 1"),
    ("console.table([{a: 1}])", "table", "[{a: 1}]"),
    ("console.trace('t')", "trace", "t"),
    ("console.assert(false)", "assert", "Assertion failed"),
    ("console.assert(false, 'no %s', 'way')", "assert", "Assertion failed: no way"),
    ("console.count('c')", "count", "c: 1"),
    ("console.group('G')", "startGroup", "G"),
    ("console.groupCollapsed('C')", "startGroupCollapsed", "C"),
    ("console.groupEnd()", "endGroup", ""),
    ("console.dir({a: 1})", "dir", "{a: 1}"),
    ("console.dirxml(document.body)", "dirxml", "<body>"),
    ("console.clear()", "clear", "Console was cleared"),
    ("console.log('it\\'s', {s: 'it\\'s\\n'})", "log", "it's {s: 'it\\'s\\n'}"),
]


async def test_every_call(recorder: Recorder, site: Site) -> None:
    messages = await said(recorder, site, "\n".join(script for script, _, _ in CALLS), len(CALLS))
    assert [(m.type, m.text) for m in messages] == [(kind, text) for _, kind, text in CALLS]
    assert [m.line for m in messages] == list(range(2, len(CALLS) + 2))
    assert {m.url for m in messages} == {recorder.page.url}
    assert {m.origin for m in messages} == {"call"}
    assert {m.source for m in messages} == {"page"}
    ids = [m.id for m in messages]
    assert ids == sorted(set(ids))


async def test_time_end(recorder: Recorder, site: Site) -> None:
    (message,) = await said(recorder, site, "console.time('t'); console.timeEnd('t')", 1)
    assert message.type == "timeEnd"
    assert message.text.startswith("t: ")


async def test_uncaught_errors_and_rejections(recorder: Recorder, site: Site) -> None:
    script = """
        function thrower() { throw new RangeError('first\\nsecond', {cause: 'why'}); }
        addEventListener('go', thrower);
        dispatchEvent(new Event('go'));
        queueMicrotask(() => { throw 'text'; });
        queueMicrotask(() => { throw {code: 7}; });
        Promise.reject(new TypeError('refused'));
        Promise.reject();
        setTimeout('not a program', 0);
    """
    await recorder.page.navigate(site.page(f"<script>{script}</script>", path="/throws.html"))
    messages = await recorder.until(lambda: m if len(m := recorder.console.get_data()) == 6 else None)
    texts = {m.text for m in messages}
    assert texts == {
        "Uncaught RangeError: first\nsecond (cause: 'why')",
        "Uncaught text",
        "Uncaught {code: 7}",
        "Uncaught (in promise) TypeError: refused",
        "Uncaught (in promise) undefined",
        "Uncaught SyntaxError: Unexpected identifier 'a'",
    }
    assert {(m.type, m.origin) for m in messages} == {("error", "exception")}
    range_error = next(m for m in messages if "RangeError" in m.text)
    assert (range_error.url.rpartition("/")[2], range_error.line) == ("throws.html", 3)
    assert range_error.stack()[0].function == "thrower"
    error = range_error.error
    assert error is not None
    assert (error.name, error.in_promise, error.handled_later) == ("RangeError", False, False)
    refused = next(m for m in messages if "refused" in m.text).error
    assert refused is not None
    assert refused.in_promise


async def test_a_rejection_handled_later_is_marked(recorder: Recorder, site: Site) -> None:
    script = "const p = Promise.reject(new Error('late')); setTimeout(() => p.catch(() => 0), 20)"
    (message,) = await said(recorder, site, script, 1)
    await recorder.until(lambda: message.handled_later)


async def test_the_browsers_own_entries(recorder: Recorder, site: Site) -> None:
    await recorder.page.navigate(site.url("/blank"))
    await recorder.run("fetch('/status/404').then(r => r.text())")
    await recorder.run(f"fetch('{site.other_origin}/json').catch(() => 0)")
    messages = await recorder.until(lambda: m if len(m := recorder.console.get_data()) >= 3 else None)
    missing = messages[0]
    assert (missing.type, missing.origin, missing.log_source) == ("error", "log", "network")
    assert "404" in missing.text
    assert missing.url == site.url("/status/404")
    assert missing.request_id == recorder.request("/status/404").request_id
    assert any("blocked by CORS policy" in m.text for m in messages)


async def test_worker_messages_come_once(recorder: Recorder, site: Site) -> None:
    code = "console.log('from worker', {a: 1}); setTimeout(() => { throw new Error('worker boom') }, 0); postMessage(1)"
    script = site.text(code, name="w.js", content_type="text/javascript")
    await recorder.page.navigate(site.url("/blank"))
    await recorder.run(f"new Promise(r => {{ globalThis.w = new Worker('{script}'); w.onmessage = r; }})")
    await recorder.until(lambda: any("boom" in m.text for m in recorder.console.get_data()))
    await recorder.run("console.log('end')")
    messages = await recorder.until(lambda: m if (m := recorder.console.get_data())[-1].text == "end" else None)
    assert [(m.text, m.source) for m in messages] == [
        ("from worker {a: 1}", "worker"),
        ("Uncaught Error: worker boom", "worker"),
        ("end", "page"),
    ]
    assert messages[0].source_url == script
    assert messages[0].url == script


async def test_frames_in_both_processes(recorder: Recorder, site: Site) -> None:
    inner = site.page("<script>console.log('in', location.hostname)</script>", path="/talks.html")
    await recorder.page.navigate(
        site.page(f"<iframe src='{inner}'></iframe><iframe src='{site.other(inner)}'></iframe>")
    )
    messages = await recorder.until(lambda: m if len(m := recorder.console.get_data()) == 2 else None)
    assert {(m.text, m.source) for m in messages} == {("in 127.0.0.1", "page"), ("in localhost", "iframe")}


async def test_lone_surrogates_survive(recorder: Recorder, site: Site) -> None:
    script = "console.log('a\\ud83d b'); console.log({k: '\\udc00'}); Promise.reject('r\\ud800')"
    messages = await said(recorder, site, script, 3)
    assert [m.text for m in messages] == ["a\ud83d b", "{k: '\udc00'}", "Uncaught (in promise) r\ud800"]


async def test_a_navigation_starts_a_new_list(recorder: Recorder, site: Site) -> None:
    numbers = []
    for name in "abcd":
        await said(recorder, site, f"console.log('{name}')", 1)
        await recorder.run("location.hash = 'x'")
        (message,) = recorder.console.get_data()
        assert message.text == name
        numbers.append(message.id)
    assert [m.text for m in recorder.console.get_data(True)] == ["b", "c", "d"]
    assert recorder.console.lookup(numbers[1]).text == "b"
    with pytest.raises(Exception, match=f"msgid={numbers[0]} is no longer kept"):
        recorder.console.lookup(numbers[0])


async def test_twenty_thousand_lines_stay_bounded(recorder: Recorder, site: Site) -> None:
    await recorder.page.navigate(site.url("/blank"))
    for start in range(0, 20_000, 1000):
        # One script for all of them takes seconds, on a busy machine longer than a script may.
        await recorder.run(f"for (let i = {start}; i < {start + 1000}; i++) console.log('line', {{i}})")
    await recorder.until(lambda: recorder.msgids.was_given(20_000), timeout=60)
    messages = recorder.console.get_data()
    assert len(messages) == recorder.console.max_items
    assert messages[-1].text == "line {i: 19999}"
    note = recorder.console.cap_note()
    assert note is not None
    assert "10,000 older console messages dropped" in note
    assert len(recorder.console.objects) <= 150
    with pytest.raises(Exception, match=r"no longer kept: the newest 10,000"):
        recorder.console.lookup(1)


async def test_a_huge_string_is_cut_and_its_length_kept(recorder: Recorder, site: Site) -> None:
    (message,) = await said(recorder, site, "console.log('x'.repeat(3_000_000))", 1)
    assert message.text_length == 3_000_000
    assert message.weight < 200_000
    assert message.text == "x" * 50_000


async def test_objects_are_released_so_that_the_page_can_collect_them(recorder: Recorder, site: Site) -> None:
    await recorder.page.navigate(site.url("/blank"))
    await recorder.run("""
        globalThis.collected = 0;
        const registry = new FinalizationRegistry(() => { collected++; });
        for (let i = 0; i < 3000; i++) {
            const big = {i, load: new Array(100).fill(i)};
            registry.register(big);
            console.log('big', big);
        }
    """)
    await recorder.until(lambda: len(recorder.console.get_data()) == 3000)
    session = recorder.page.session

    async def collected() -> int:
        await session.send("HeapProfiler.collectGarbage")
        return int(await recorder.run("new Promise(r => setTimeout(() => r(collected), 50))"))

    # V8 itself keeps the arguments of its newest 1,000 messages, we those of the newest 100 to 150.
    for _ in range(20):
        if await collected() >= 1900:
            break
    assert await collected() >= 1900
    newest = recorder.console.get_data()[-1]
    assert recorder.console.objects.is_alive(newest.session, newest.object_ids[0])
    value = await session.send("Runtime.getProperties", {"objectId": newest.object_ids[0], "ownProperties": True})
    assert any(p["name"] == "i" and p["value"]["value"] == 2999 for p in value["result"])
    oldest = recorder.console.get_data()[0]
    assert not recorder.console.objects.is_alive(oldest.session, oldest.object_ids[0])
    await recorder.page.navigate(site.url("/blank"))
    await recorder.until(lambda: len(recorder.console.objects) == 0)
