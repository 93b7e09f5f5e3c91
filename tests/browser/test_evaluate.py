"""Scripts in the page's own world: what comes back, what is said when nothing can, and that nothing stays behind."""

from __future__ import annotations

import json
import re
from random import Random

import pytest

from pagelens.browser.evaluate import ScriptKind, evaluate
from pagelens.browser.page import Page
from pagelens.core.deadlines import deadline
from pagelens.errors import (
    DeadlineExceeded,
    DialogOpen,
    DocumentReplaced,
    ElementNotFound,
    InvalidInput,
    ScriptFailed,
)
from tests.support.site import Site

#: Nothing here needs more than a fresh document.
REUSES_PAGE = True


async def text(page: Page, source: str, **options: object) -> str:
    return (await evaluate(page, source, **options)).text  # type: ignore[arg-type]


# -- values ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        1, 0, -1.5, 1e21, True, False, None, "", "text", 'quo"te \\ \n\t', "é 😀", [], {}, [1, [2, [3]]],
        {"a": 1, "b": {"c": [True, None, "x"]}, "with space": "", "1": 2}, [{}] * 3,
    ],
)  # fmt: skip
async def test_what_json_can_say_is_json(page: Page, value: object) -> None:
    result = await evaluate(page, f"() => ({json.dumps(value)})")
    assert json.loads(result.text) == value
    assert not result.truncated


async def test_any_json_comes_back_as_it_is(page: Page) -> None:
    random = Random(7)
    letters = 'ab"\\\n\t \u2028\u200b\x7fé😀\ud800…<'

    def word() -> str:
        return "".join(random.choice(letters) for _ in range(random.randrange(8)))

    def value(depth: int) -> object:
        match random.randrange(8 if depth < 5 else 5):
            case 0:
                return word()
            case 1:
                return random.choice([0, -1, 2**53, 1.5, -1e-7, 1e300])
            case 2 | 3 | 4:
                return random.choice([True, False, None])
            case 5 | 6:
                return [value(depth + 1) for _ in range(random.randrange(5))]
            case _:
                return {word(): value(depth + 1) for _ in range(random.randrange(5))}

    for _ in range(100):
        wanted = value(0)
        # Parsed from a string, so that "__proto__" and the like are plain keys.
        source = f"() => JSON.parse({json.dumps(json.dumps(wanted))})"
        shown = await text(page, source)
        assert json.loads(shown) == json.loads(json.dumps(wanted))
        assert shown.isprintable()


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        ("undefined", "undefined"),
        ("NaN", "NaN"),
        ("-0", "-0"),
        ("[Infinity, -Infinity]", "[Infinity,-Infinity]"),
        ("12n", "12n"),
        ("Symbol('x y')", "Symbol(x_y)"),
        ("({[Symbol('k')]: 1, u: undefined})", '{"u":undefined,[Symbol(k)]:1}'),
        ("function add(a, b) {}", "[function add]"),
        ("class Point {}", "[class Point]"),
        ("() => 1", "[function]"),
        ("(() => { const a = {list: []}; a.list.push(a); a.b = a.list; return a })()",
         '{"list":[[circular $]],"b":[[circular $]]}'),
        ("(() => { const a = {b: {c: [1]}}; a.b.c.push(a.b); return a })()", '{"b":{"c":[1,[circular $.b]]}}'),
        ("new Map([['a', {x: 1}], [{k: 1}, 2]])", 'Map(2) {"a"=>{"x":1},{"k":1}=>2}'),
        ("new Set([1, 'a', NaN])", 'Set(3) {1,"a",NaN}'),
        ("new Date(0)", "Date 1970-01-01T00:00:00.000Z"),
        ("new Date(NaN)", "Date (invalid)"),
        ("/a\"b/gi", '/a"b/gi'),
        ("new Uint8Array([1, 2, 255])", "Uint8Array(3) [1,2,255]"),
        ("new Float64Array([0.5, -0])", "Float64Array(2) [0.5,-0]"),
        ("new Uint8Array([1, 171]).buffer", "ArrayBuffer(2) [01 ab]"),
        ("new (class Point { constructor() { this.x = 1 } get y() { return 2 } })", 'Point {"x":1}'),
        ("new (class Mine extends Map { })([[1, 2]])", "Map(1) {1=>2}"),
        ("Object.create(null)", "{}"),
        ("({get bad() { throw new RangeError('no') }, ok: 1})", '{"bad":[getter threw: RangeError "no"],"ok":1}'),
        ("[1,,3]", "[1,<1 empty>,3]"),
        ("new Array(4e9)", "[<4000000000 empty>]"),
        ("[new String('s'), new Number(1), Object(2n)]", '[String("s"),Number(1),BigInt(2n)]'),
        ("[Promise.resolve(1), new WeakMap()]", "[[Promise],[WeakMap]]"),
        ("new URL('http://a/b?c')", 'URL "http://a/b?c"'),
        ("new URLSearchParams('a=1&b=2')", 'URLSearchParams {"a"=>"1","b"=>"2"}'),
        ("new DOMRect(1, 2, 3, 4)",
         'DOMRect {"x":1,"y":2,"width":3,"height":4,"top":2,"right":4,"bottom":6,"left":1}'),
        ("new Blob(['abc'])", 'Blob {"size":3,"type":""}'),
        ("'a\\ud800b'", '"a\\ud800b"'),
        ("'zero\\u200bwidth \\u202e'", '"zero\\u200bwidth \\u202e"'),
        ("({toJSON() { return 'own words' }})", '"own words"'),
        ("({toJSON() { throw 1 }, x: 1})", '{"toJSON":[function toJSON],"x":1}'),
        ("({toJSON() { return this }, x: 1})", '{"toJSON":[function toJSON],"x":1}'),
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["function", "script"])
async def test_what_json_cannot_say_is_readable(page: Page, kind: ScriptKind, expression: str, shown: str) -> None:
    source = f"() => ({expression})" if kind == "function" else f"0; ({expression})"
    assert await text(page, source, kind=kind) == shown


async def test_errors_as_values(page: Page) -> None:
    shown = await text(page, "() => { const e = new TypeError('boom', {cause: 'why'}); e.extra = 1; return {e} }")
    assert re.fullmatch(
        r'\{"e":TypeError \{"message":"boom","stack":\["at script:1:19"\],"cause":"why","extra":1\}\}', shown
    )
    assert await text(page, "() => new DOMException('no', 'AbortError')") == 'AbortError {"message":"no"}'


@pytest.mark.parametrize(
    "hostile",
    [
        "new Proxy({}, new Proxy({}, {get() { throw new Error('trap') }}))",
        "new Proxy([], new Proxy({}, {get() { throw new Error('trap') }}))",
        "(() => { const p = Proxy.revocable({}, {}); p.revoke(); return p.proxy })()",
        "new Proxy({}, {ownKeys: () => Array.from({length: 1e5}, (_, i) => 'k' + i)})",
        "(() => { const deep = () => new Proxy({a: 1}, {get: deep, getOwnPropertyDescriptor: "
        "() => ({configurable: true, enumerable: true, value: 1}), ownKeys: () => ['a']}); return deep() })()",
        "({get constructor() { throw 1 }, get [Symbol.toStringTag]() { throw 2 }, get toJSON() { throw 3 }})",
        "new (class { get [Symbol.toStringTag]() { return 'Map' } })",
        "new (class { get [Symbol.toStringTag]() { return 'Date' } })",
        "Object.setPrototypeOf(() => 1, null)",
        "Object.defineProperty(new Error('x'), 'stack', {get() { throw 1 }})",
        "Object.assign(new Error('x'), {name: {}, message: {}})",
        "(() => { let o = {}; for (let i = 0; i < 1e5; i++) o = {o}; return o })()",
        "(() => { const f = document.createElement('form'); f.innerHTML = '<input name=id><input name=nodeType>"
        "<input name=localName><input name=getAttribute>'; document.body.append(f); return f })()",
        "document.all",
        "window",
        "Object.prototype",
    ],
)
async def test_hostile_objects_are_harmless(page: Page, hostile: str) -> None:
    async with deadline(20, "a hostile object"):
        result = await evaluate(page, f"() => [({hostile}), 'after']", timeout=10)
    assert len(result.text) < 30_000
    assert result.truncated or result.text.endswith('"after"]')
    assert await text(page, "1 + 1") == "2"


async def test_a_getter_that_never_ends_is_ended(page: Page) -> None:
    with pytest.raises(DeadlineExceeded):
        await evaluate(page, "() => ({get a() { for (;;) ; }})", timeout=0.5)
    assert await text(page, "1 + 1") == "2"


#: What pages do to their globals, and worse.
BROKEN = """<script>
const thrower = () => { throw new Error('broken global') };
for (const name of ['parse', 'stringify']) JSON[name] = thrower;
for (const proto of [Array.prototype, String.prototype, Map.prototype, Set.prototype, Function.prototype])
  for (const key of Reflect.ownKeys(proto)) {
    if (key === 'constructor' || key === 'length' || key === 'name') continue;
    try { Object.defineProperty(proto, key, {value: thrower, writable: true, configurable: true}) } catch {}
  }
Object.prototype.polluted = 1;
Object.defineProperty(Object.prototype, '0', {set: thrower, get() { return undefined }, configurable: true});
for (const name of ['keys', 'entries', 'getOwnPropertyNames', 'getOwnPropertyDescriptor', 'getPrototypeOf', 'is'])
  Object[name] = thrower;
window.Promise = function () { throw new Error('no promises') };
window.Symbol = window.Error = window.String = window.Number = window.Proxy = thrower;
</script>"""


async def test_pages_that_broke_their_globals(page: Page, site: Site) -> None:
    await page.navigate(site.page(BROKEN + "<button id=b>B</button>"))
    assert await text(page, "() => ({a: [1, 'x\\n', {b: null}], n: NaN})") == '{"a":[1,"x\\n",{"b":null}],"n":NaN}'
    shown = await text(page, "async () => [await 1, document.querySelector('#b')]")
    assert re.fullmatch(r"\[1,uid=e\d+ <button#b>\]", shown)
    assert re.fullmatch(r"uid=e\d+ <button#b>", await text(page, "() => b"))
    assert await text(page, "const x = await 5; ({x})") == '{"x":5}'
    with pytest.raises(ScriptFailed, match="broken global"):
        await evaluate(page, "() => { JSON.stringify(1) }")


async def test_pages_that_broke_reflection_too(page: Page, site: Site) -> None:
    await page.navigate(
        site.page("<script>for (const key of Reflect.ownKeys(Reflect)) Reflect[key] = () => { throw 1 }</script>")
    )
    assert await text(page, "() => ({a: [1, 'x\\n', {b: null}], n: NaN})") == '{"a":[1,"x\\n",{"b":null}],"n":NaN}'


async def test_content_security_policy_is_no_hindrance(page: Page, site: Site) -> None:
    strict = {"Content-Security-Policy": "default-src 'none'"}
    await page.navigate(site.page("<p>strict", headers=strict))
    assert await text(page, "() => document.querySelector('p').textContent") == '"strict"'


# -- limits ------------------------------------------------------------------------------------------------


async def test_size_is_capped_and_said(page: Page) -> None:
    many = "Array.from({length: 1e5}, (_, i) => "
    for source in (
        "() => 'x'.repeat(1e6)",
        f"() => {many} ({{i}}))",
        f"() => Object.fromEntries({many} ['k' + i, i]))",
        f"() => new Map({many} [i, i]))",
        "() => new ArrayBuffer(1e6)",
    ):
        result = await evaluate(page, source, max_chars=2000)
        assert 1900 < len(result.text) < 2500
        assert result.truncated
        assert "…" in result.text
        assert "more" in result.text
        assert "2,000 characters" in result.note
        assert "filePath" in result.note
    result = await evaluate(page, "() => ({long: 'x'.repeat(1e5), after: 'here'})", max_chars=2000)
    assert result.text.endswith('"after":"here"}')
    whole = await evaluate(page, "() => Array.from({length: 1e5}, (_, i) => i)", max_chars=10**7)
    assert json.loads(whole.text) == list(range(100_000))
    assert not whole.truncated


async def test_depth_is_capped_and_said(page: Page) -> None:
    source = "() => { let o = [1]; for (let i = 0; i < 50; i++) o = {o}; return o }"
    result = await evaluate(page, source, max_depth=10)
    assert result.text == '{"o":' * 10 + "{…}" + "}" * 10
    assert "10 levels" in result.note
    assert not (await evaluate(page, source, max_depth=100)).truncated


# -- nodes -------------------------------------------------------------------------------------------------


async def test_nodes_come_with_uids_that_work(page: Page, site: Site) -> None:
    await page.navigate(site.page("<button id=save>S</button><ul><li class='a b'>1<li>2</ul><!--c-->"))
    shown = await text(page, "() => document.querySelector('button')")
    uid = re.fullmatch(r"uid=(e\d+) <button#save>", shown)
    assert uid is not None
    assert await text(page, "(el) => el.id", args=[uid[1]]) == '"save"'
    assert re.fullmatch(
        r"NodeList\(2\) \[uid=e\d+ <li\.a>,uid=e\d+ <li>\]", await text(page, "() => document.querySelectorAll('li')")
    )
    shown = await text(page, "() => ({a: [document.body], b: document.body})")
    assert re.fullmatch(r'\{"a":\[uid=(e\d+) <body>\],"b":uid=\1 <body>\}', shown)
    assert await text(page, "() => document.createElement('p')") == "<p> (not in the document)"
    assert await text(page, "() => [document, document.body.lastChild]") == '[#document,#comment "c"]'
    result = await evaluate(page, "() => document.body")
    assert result.value_type == "node"


async def test_many_nodes(page: Page, site: Site) -> None:
    await page.navigate(site.page("<i></i>" * 500))
    shown = await text(page, "() => document.querySelectorAll('i')")
    uids = re.findall(r"uid=(e\d+) <i>", shown)
    assert len(set(uids)) == len(uids) == 200
    assert shown.count("<i>") == 500


async def test_page_text_cannot_pose_as_a_node(page: Page) -> None:
    shown = await text(page, "() => ['\\x010\\x02', document.body, {'\\x010\\x02': 1}]")
    assert re.fullmatch(r'\["\\u00010\\u0002",uid=e\d+ <body>,\{"\\u00010\\u0002":1\}\]', shown)


# -- arguments and frames ----------------------------------------------------------------------------------


async def test_elements_as_arguments(page: Page, site: Site) -> None:
    await page.navigate(site.page("<input id=a value=1><input id=b value=2><script>a.mine = 'own world'</script>"))
    assert (
        await text(page, "(a, b) => [a.value, b.value, a.mine]", args=["css=#a", "css=#b"]) == '["1","2","own world"]'
    )
    assert (
        await text(page, "async function (a) { return a === document.querySelector('#a') }", args=["css=#a"]) == "true"
    )
    with pytest.raises(ElementNotFound):
        await evaluate(page, "(a) => a", args=["css=#none"])
    with pytest.raises(InvalidInput, match="function"):
        await evaluate(page, "document.title", args=["css=#a"])


@pytest.mark.parametrize("other", [False, True], ids=["same process", "other process"])
async def test_elements_of_a_frame_take_the_function_there(page: Page, site: Site, other: bool) -> None:
    inner = site.page("<p id=in>inner</p><script>const where = 'frame'</script>", other=other)
    await page.navigate(site.page(f"<p id=out>outer</p><script>const where = 'page'</script><iframe src='{inner}'>"))
    assert await text(page, "(el) => [where, el.textContent]", args=["css=#in"]) == '["frame","inner"]'
    assert await text(page, "() => where") == '"page"'
    shown = await text(page, "() => document.querySelector('p')", frame=page.main_frame.children[0])
    uid = re.match(r"uid=(e\d+)", shown)
    assert uid is not None
    assert await text(page, "(el) => where", args=[uid[1]]) == '"frame"'
    with pytest.raises(InvalidInput, match="different frames"):
        await evaluate(page, "(a, b) => 1", args=["css=#in", "css=#out"])


# -- forms of source ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("() => 1", "1"),
        ("() => 1;", "1"),
        ("  // a comment\n  /* more */ async () => { return 1 }", "1"),
        ("function () { return 1 }", "1"),
        ("async function named() { return await 1 }", "1"),
        ("x => 1", "1"),
        ("async x => 1", "1"),
        ("({a} = {a: 1}) => a // trailing", "1"),
        ("document.title.length", "4"),
        ("(1)", "1"),
        ("(() => 1)()", "1"),
        ("await new Promise(r => setTimeout(() => r(1), 10))", "1"),
        ("let a = 1; a", "1"),
        ("() => new Promise(r => setTimeout(() => r(1), 10))", "1"),
        ("() => ({then(r) { r(1) }})", "1"),
        ("() => this === window", "true"),
    ],
)
async def test_functions_and_expressions(page: Page, site: Site, source: str, shown: str) -> None:
    await page.navigate(site.page("<p>", title="Four"))
    assert await text(page, source) == shown


async def test_scripts(page: Page) -> None:
    run = {"kind": "script"}
    assert await text(page, "const a = 1; a + 1", **run) == "2"
    assert await text(page, "const a = 5; a + 1", **run) == "6"
    assert await text(page, "const r = await Promise.resolve({x: 1}); r", **run) == '{"x":1}'
    assert await text(page, "Promise.resolve([1])", **run) == "[1]"
    assert await text(page, "let i = 0; while (i < 3) i++", **run) == "2"
    assert await text(page, "if (false) 1", **run) == "undefined"
    assert await text(page, "'text'", **run) == '"text"'
    with pytest.raises(InvalidInput):
        await evaluate(page, "a", kind="script", args=["css=body"])


# -- failures ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("() => { throw new TypeError('bad thing') }", "threw TypeError: bad thing\n    at script:1:15"),
        ("() => {\n  const x = null;\n  x.y\n}", "(reading 'y')\n    at script:3:5"),
        ("async () => { await 1; throw new Error('later') }", "Error: later\n    at script:1:30"),
        ("() => Promise.reject('a string')", 'threw "a string"'),
        ("() => { throw {code: 7} }", 'threw {"code":7}'),
        ("() => { throw undefined }", "threw undefined"),
        ("() => { throw new Error('a', {cause: new Error('b')}) }", "caused by Error: b"),
        ("() => { syntax error }", "does not compile: SyntaxError: Unexpected identifier 'error' (line 1, column 16)"),
        ("() => {\n\n  if (\n}", "(line 4, column 1)"),
        ("throw new Error('script')", "threw Error: script\n    at script:1:7"),
        ("let b = 1;\nnope()", "ReferenceError: nope is not defined\n    at script:2:1"),
        ("Promise.reject(new Error('open'))", "threw Error: open"),
        ("let 1", "does not compile: SyntaxError"),
        ("() => ", "does not compile"),
        ("return 1", "Write it as a function"),
    ],
)  # fmt: skip
async def test_failures_in_the_page_s_own_words(page: Page, source: str, words: str) -> None:
    with pytest.raises(ScriptFailed) as raised:
        await evaluate(page, source)
    assert words in str(raised.value)
    assert "pagelens" not in str(raised.value)


async def test_a_promise_that_never_settles(page: Page) -> None:
    for source in ("() => new Promise(() => {})", "await new Promise(() => {})"):
        with pytest.raises(DeadlineExceeded, match="promise is still open"):
            await evaluate(page, source, timeout=0.3)
    assert await text(page, "1 + 1") == "2"


@pytest.mark.parametrize(
    "source",
    ["() => { for (;;) ; }", "for (;;) ;", "async () => { const f = () => Promise.resolve().then(f); await f() }"],
    ids=["function", "script", "microtasks"],
)
async def test_an_endless_loop_is_ended_and_the_page_lives(page: Page, source: str) -> None:
    with pytest.raises(DeadlineExceeded):
        await evaluate(page, source, timeout=0.5)
    assert await text(page, "() => document.title") == '""'


async def test_a_script_behind_an_endless_one_gets_its_turn(page: Page) -> None:
    assert await text(page, "() => 1") == "1"
    page.session.post("Runtime.evaluate", {"expression": "for (;;) ;"})
    assert await text(page, "() => 2", timeout=0.5) == "2"


# -- what scripts do to the page ---------------------------------------------------------------------------


async def test_a_result_survives_the_navigation_that_the_script_began(page: Page, site: Site) -> None:
    await page.navigate(site.url("/"))
    target = site.url("/slow", ms=200)
    for _ in range(5):
        async with page.acting("script"):
            assert await text(page, f"() => {{ location.href = '{target}'; return {{ok: [1]}} }}") == '{"ok":[1]}'
        assert page.url == target


async def test_a_script_that_waits_while_its_page_goes_away(page: Page, site: Site) -> None:
    await page.navigate(site.url("/"))
    with pytest.raises(DocumentReplaced, match="result is lost"):
        await evaluate(page, "async () => { location.href = '/blank'; await new Promise(() => {}) }", timeout=10)


async def test_dialogs(page: Page) -> None:
    with pytest.raises(DialogOpen):
        await evaluate(page, "() => confirm('Sure?')")
    await page.handle_dialog(True)
    assert await text(page, "() => confirm('Sure?')", dialog_action="accept") == "true"
    assert await text(page, "() => confirm('Sure?')", dialog_action="dismiss") == "false"
    assert await text(page, "() => [prompt('a', 'd'), prompt('b', 'e')]", dialog_action="accept") == '["d","e"]'
    assert (
        await text(page, "() => [prompt('a'), alert(1), confirm('c')]", dialog_action="typed")
        == '["typed",undefined,true]'
    )


async def test_it_counts_as_a_user_s_act(page: Page, site: Site) -> None:
    await page.navigate(site.url("/"))
    assert await text(page, "() => navigator.userActivation.isActive") == "true"


async def test_nothing_is_left_in_the_page(page: Page, site: Site) -> None:
    await page.navigate(site.page("<p>text"))
    before = await text(page, "() => Object.getOwnPropertyNames(window).length")
    collected = """() => { globalThis.refs ??= []; const big = {data: new Array(1000).fill(refs.length)};
      refs.push(new WeakRef(big)); return big }"""
    for _ in range(20):
        await evaluate(page, collected)
        await evaluate(page, "() => document.querySelectorAll('*')")
    await page.session.send("HeapProfiler.enable")
    await page.session.send("HeapProfiler.collectGarbage")
    await page.session.send("HeapProfiler.collectGarbage")
    assert await text(page, "() => refs.filter(r => r.deref()).length") == "0"
    await evaluate(page, "() => { delete globalThis.refs }")
    assert await text(page, "() => Object.getOwnPropertyNames(window).length") == before
