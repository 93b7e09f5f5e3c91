"""How the benchmark starts its servers, fills in their arguments and reads their snapshots; and its pages."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.operations import OPERATIONS
from benchmarks.pages import PAGES, html_of
from benchmarks.servers import OURS, PACKAGES, PLAYWRIGHT_MCP, ServerSpec, fill_in, install_peers, servers


@pytest.fixture
def specs(tmp_path: Path) -> dict[str, ServerSpec]:
    made = servers("/opt/browser", tmp_path / "peers", tmp_path / "out", no_sandbox=True)
    return {spec.name: spec for spec in made}


def test_a_template_is_filled_in() -> None:
    values = {"url": "http://x/", "fields": [{"a": 1}], "number": 7}
    template = {"u": "$url", "all": "$fields", "text": ["is $number", "$other"], "same": 5}
    assert fill_in(template, values) == {
        "u": "http://x/",
        "all": [{"a": 1}],
        "text": ["is 7", "$other"],
        "same": 5,
    }


def test_all_servers_do_the_same_with_the_same_browser(specs: dict[str, ServerSpec], tmp_path: Path) -> None:
    kinds = {operation.kind for operation in OPERATIONS}
    config = json.loads((tmp_path / "out" / "playwright-mcp.json").read_text())
    for spec in specs.values():
        assert set(spec.tools) == kinds, spec.name
        if spec.name != PLAYWRIGHT_MCP:
            said = " ".join(spec.command)
            assert "/opt/browser" in said
            assert "1280x720" in said
            assert "=--no-sandbox" in said
    launch = config["browser"]["launchOptions"]
    assert (launch["executablePath"], launch["chromiumSandbox"]) == ("/opt/browser", False)
    assert config["browser"]["contextOptions"]["viewport"] == {"width": 1280, "height": 720}
    assert specs[OURS].command[0] == str(Path(sys.executable).with_name("pagelens"))


def test_elements_are_found_in_snapshots(specs: dict[str, ServerSpec]) -> None:
    assert specs[OURS].find('uid=e1 link "Save"\n  uid=e12 button "Save" disabled', "button", "Save") == "e12"
    line = '  - button "Save (2)" [active] [ref=f1e7] [cursor=pointer]'
    assert specs[PLAYWRIGHT_MCP].find(line, "button", "Save (2)") == "f1e7"
    with pytest.raises(KeyError, match="no button"):
        specs[OURS].find("", "button", "Save")


def test_peers_are_installed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[list[str]] = []

    def npm(command: list[str], *, cwd: Path, check: bool) -> None:
        commands.append(command)
        for name, version in PACKAGES.items():
            (cwd / "node_modules" / name).mkdir(parents=True, exist_ok=True)
            (cwd / "node_modules" / name / "package.json").write_text(json.dumps({"version": version}))

    monkeypatch.setattr(subprocess, "run", npm)
    folder = tmp_path / "peers"
    install_peers(folder)
    install_peers(folder)
    assert len(commands) == 1
    assert {"chrome-devtools-mcp@1.11.0", "@playwright/mcp@0.0.83"} <= set(commands[0])
    other = folder / "node_modules" / "chrome-devtools-mcp" / "package.json"
    other.write_text(json.dumps({"version": "0.1.0"}))
    install_peers(folder)
    assert len(commands) == 2


def test_every_page_is_there_and_every_operation_has_its_page() -> None:
    for name in PAGES:
        assert html_of(name).startswith(b"<!doctype html>")
    assert {operation.page for operation in OPERATIONS} - {None} <= PAGES.keys()
    shop = html_of("shop")
    assert (shop.count(b"<a "), shop.count(b"<button"), shop.count(b"<input") + shop.count(b"<select")) == (
        1179,
        98,
        155,
    )
    assert html_of("table").count(b"<td>") == 23_800
