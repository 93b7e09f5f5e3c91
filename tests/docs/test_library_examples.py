"""Every Python example of docs/library.md runs, against a shop on this machine."""

from __future__ import annotations

import ast
import asyncio
import inspect
import re
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from types import CodeType

import pytest
import pytest_asyncio

import pagelens
from pagelens.api.browser import BROWSER_EVENTS
from pagelens.api.page_events import PAGE_EVENTS
from tests.support.site import PIXEL, Response, Site

DOC = (Path(__file__).parents[2] / "docs/library.md").read_text("utf-8")
README = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
ADDRESS = "https://shop.example/"
EXAMPLES = re.findall(r"^```python\n(.*?)^```", DOC, re.DOTALL | re.MULTILINE)
README_EXAMPLES = re.findall(r"^```python\n(.*?)^```", README, re.DOTALL | re.MULTILINE)

SHOP = """<title>Lamps</title><h1>Lamps</h1>
<form action=/shop/search><input name=q></form><a href=/shop/orders>Orders</a>
<ul><li class=lamp data-price=25><b>Desk</b><li class=lamp data-price=40><b>Floor</b></ul>
<iframe name=payment srcdoc="<input>"></iframe>
<input type=file hidden onchange="document.querySelector('output').textContent = this.files[0].name + ' is ready'">
<output></output>
<button onclick="fetch('/shop/api/prices').then((r) => r.json())">Load prices</button>
<a href="/download?name=invoice.txt&size=20">Invoice</a>
<button onclick="confirm('Delete it?') && this.remove()">Delete</button>
<button>Buy</button>"""


@pytest.fixture
def shop(site: Site) -> str:
    """The address of the shop."""
    for path, body in (("/shop/", SHOP), ("/shop/orders", "<h1>Orders</h1>"), ("/shop/search", "<h1>Found</h1>")):
        site.page(body, path=path, title="Lamps" if path == "/shop/" else None)
    site.route("/shop/api/prices", lambda _: Response('{"lamp": 25}', content_type="application/json"))
    return site.origin + "/shop/"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def browser() -> AsyncIterator[pagelens.Browser]:
    async with pagelens.launch() as running:
        yield running


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 7
    assert len(README_EXAMPLES) == 1


@pytest.mark.parametrize("source", [*EXAMPLES, *README_EXAMPLES])
async def test_an_example_runs(
    source: str, shop: str, browser: pagelens.Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ADDRESS in source
    monkeypatch.chdir(tmp_path)
    (tmp_path / "photo.png").write_bytes(PIXEL)
    source = source.replace(ADDRESS, shop)
    if "asyncio.run(" in source:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", source, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
        out, err = await asyncio.wait_for(process.communicate(), 60)
        assert process.returncode == 0, err.decode()
        assert "Lamps" in out.decode()
        return
    code = compile(source, "example", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    assert isinstance(code, CodeType)
    page = await browser.new_page()
    names = {"pagelens": pagelens, "browser": browser, "page": page}
    await asyncio.wait_for(eval(code, names), 60)
    await page.close()


def test_every_event_is_listed() -> None:
    events = DOC[DOC.index("## Events") : DOC.index("### Dialogs")]
    listed = re.findall(r"^\| `(\w+)` \|", events, re.MULTILINE)
    assert tuple(listed) == (*PAGE_EVENTS, *BROWSER_EVENTS)


CLASSES = [
    pagelens.Browser,
    pagelens.BrowserContext,
    pagelens.Page,
    pagelens.Frame,
    pagelens.Element,
    pagelens.Dialog,
    pagelens.Download,
    pagelens.ConsoleMessage,
    pagelens.Request,
    pagelens.Response,
]


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_every_public_name_is_documented(cls: type) -> None:
    words = set(re.findall(r"\w+", DOC))
    for name, member in vars(cls).items():
        if name.startswith("_"):
            continue
        assert name in words, f"{cls.__name__}.{name} is not in docs/library.md"
        assert inspect.getdoc(member), f"{cls.__name__}.{name} has no docstring"


def test_launch_and_connect_are_documented_whole() -> None:
    for function in (pagelens.launch, pagelens.connect):
        for name in inspect.signature(function).parameters:
            assert f"`{name}=" in DOC or f", `{name}=" in DOC, name
