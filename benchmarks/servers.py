"""The servers that are measured: how each is started, and which of its tools does what."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = [
    "CHROME_DEVTOOLS_MCP",
    "OURS",
    "PACKAGES",
    "PLAYWRIGHT_MCP",
    "ServerSpec",
    "fill_in",
    "install_peers",
    "servers",
]

OURS = "pagelens"
CHROME_DEVTOOLS_MCP = "chrome-devtools-mcp"
PLAYWRIGHT_MCP = "playwright-mcp"

#: The npm packages of the peers, pinned.
PACKAGES = {"chrome-devtools-mcp": "1.11.0", "@playwright/mcp": "0.0.83"}

#: All get these: nothing but this machine is reached, and nothing runs in the background.
SWITCHES = (
    "--disable-gpu",
    "--disable-background-networking",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
)
WIDTH, HEIGHT = 1280, 720


@dataclass(frozen=True)
class ServerSpec:
    """One server.

    Attributes:
        reference: a pattern whose first group is an element's reference in a snapshot, given ``{role}`` and ``{name}``.
        tools: by kind of operation, the tool and its arguments with ``$url``, ``$ref``, ``$value``, ``$expr``,
            ``$text`` and ``$fields`` to be filled in.
        field: one field of ``$fields``, with ``$ref``, ``$name``, ``$role`` and ``$value``.
    """

    name: str
    version: str
    command: tuple[str, ...]
    reference: str
    tools: Mapping[str, tuple[str, Mapping[str, Any]]]
    field: Mapping[str, str] = field(default_factory=dict)

    def find(self, snapshot: str, role: str, name: str) -> str:
        """An element's reference in a snapshot.

        Raises:
            KeyError: it is not there.
        """
        found = re.search(self.reference.format(role=role, name=re.escape(name)), snapshot)
        if found is None:
            raise KeyError(f"{self.name}: no {role} {name!r} in {snapshot[:300]!r}")
        return found[1]


def fill_in(template: Any, values: Mapping[str, Any]) -> Any:
    """A template with every ``$name`` replaced; a text that is nothing but ``$name`` becomes the value itself."""
    if isinstance(template, str):
        if template.startswith("$") and template[1:] in values:
            return values[template[1:]]
        return re.sub(r"\$(\w+)", lambda found: str(values.get(found[1], found[0])), template)
    if isinstance(template, Mapping):
        return {key: fill_in(value, values) for key, value in template.items()}
    if isinstance(template, list):
        return [fill_in(value, values) for value in template]
    return template


def install_peers(folder: Path, packages: Mapping[str, str] = PACKAGES) -> None:
    """Put the peers' npm packages into `folder`, unless they are there in the right versions."""
    wanted = {
        name: version
        for name, version in packages.items()
        if not (manifest := folder / "node_modules" / name / "package.json").exists()
        or json.loads(manifest.read_text())["version"] != version
    }
    if not wanted:
        return
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "package.json").exists():
        (folder / "package.json").write_text('{"name": "pagelens-benchmark-peers", "private": true}\n')
    print("installing", ", ".join(f"{name} {version}" for name, version in packages.items()), "…", flush=True)
    # Their install scripts would only fetch browsers of their own.
    command = ["npm", "install", "--no-fund", "--no-audit", "--ignore-scripts", "--save-exact", "--loglevel=error"]
    subprocess.run([*command, *(f"{name}@{version}" for name, version in packages.items())], cwd=folder, check=True)


def servers(browser: str, peers: Path, output: Path, *, no_sandbox: bool) -> list[ServerSpec]:
    """Ours and the peers, all with the same browser, viewport and switches on top of their own defaults.

    Args:
        browser: the executable.
        peers: where `install_peers` has put the packages.
        output: a folder for what the servers write.
    """
    switches = (*SWITCHES, *(("--no-sandbox",) if no_sandbox else ()))
    return [
        _pagelens(browser, switches),
        _chrome_devtools_mcp(browser, peers, switches),
        _playwright_mcp(browser, peers, output, switches, no_sandbox=no_sandbox),
    ]


_CHROME_DEVTOOLS_TOOLS: dict[str, tuple[str, dict[str, Any]]] = {
    "navigate": ("navigate_page", {"type": "url", "url": "$url"}),
    "snapshot": ("take_snapshot", {}),
    "click": ("click", {"uid": "$ref"}),
    "fill": ("fill", {"uid": "$ref", "value": "$value"}),
    "fill_form": ("fill_form", {"elements": "$fields"}),
    "evaluate": ("evaluate_script", {"function": "() => ($expr)"}),
    "screenshot": ("take_screenshot", {}),
    "network": ("list_network_requests", {}),
    "console": ("list_console_messages", {}),
    "wait_for": ("wait_for", {"text": ["$text"]}),
}
_UIDS = 'uid=(\\S+) {role} "{name}"'


def _pagelens(browser: str, switches: tuple[str, ...]) -> ServerSpec:
    from pagelens import __version__

    return ServerSpec(
        name=OURS,
        version=__version__,
        command=(
            str(Path(sys.executable).with_name("pagelens")),
            "--headless",
            "--isolated",
            f"--viewport={WIDTH}x{HEIGHT}",
            f"--executable-path={browser}",
            *(f"--chrome-arg={switch}" for switch in switches),
        ),
        reference=_UIDS,
        tools=_CHROME_DEVTOOLS_TOOLS,
        field={"uid": "$ref", "value": "$value"},
    )


def _chrome_devtools_mcp(browser: str, peers: Path, switches: tuple[str, ...]) -> ServerSpec:
    script = peers / "node_modules/chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js"
    return ServerSpec(
        name=CHROME_DEVTOOLS_MCP,
        version=PACKAGES["chrome-devtools-mcp"],
        command=(
            "node",
            str(script),
            "--headless",
            "--isolated",
            f"--viewport={WIDTH}x{HEIGHT}",
            f"--executablePath={browser}",
            *(f"--chromeArg={switch}" for switch in switches),
        ),
        reference=_UIDS,
        tools={kind: (tool, {"pageId": 1, **rest}) for kind, (tool, rest) in _CHROME_DEVTOOLS_TOOLS.items()},
        field={"uid": "$ref", "value": "$value"},
    )


def _playwright_mcp(
    browser: str, peers: Path, output: Path, switches: tuple[str, ...], *, no_sandbox: bool
) -> ServerSpec:
    config = {
        "browser": {
            "browserName": "chromium",
            "isolated": True,
            "launchOptions": {
                "headless": True,
                "executablePath": browser,
                "chromiumSandbox": not no_sandbox,
                "args": [switch for switch in switches if switch != "--no-sandbox"],
            },
            "contextOptions": {"viewport": {"width": WIDTH, "height": HEIGHT}},
        }
    }
    file = output / "playwright-mcp.json"
    output.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(config))
    return ServerSpec(
        name=PLAYWRIGHT_MCP,
        version=PACKAGES["@playwright/mcp"],
        command=(
            "node",
            str(peers / "node_modules/@playwright/mcp/cli.js"),
            "--config",
            str(file),
            "--output-dir",
            str(output / "playwright-mcp"),
        ),
        reference='- {role} "{name}"[^\\n]*?\\[ref=([^\\]]+)\\]',
        tools={
            "navigate": ("browser_navigate", {"url": "$url"}),
            "snapshot": ("browser_snapshot", {}),
            "click": ("browser_click", {"target": "$ref"}),
            "fill": ("browser_type", {"target": "$ref", "text": "$value"}),
            "fill_form": ("browser_fill_form", {"fields": "$fields"}),
            "evaluate": ("browser_evaluate", {"function": "() => ($expr)"}),
            "screenshot": ("browser_take_screenshot", {"scale": "css"}),
            "network": ("browser_network_requests", {"static": True}),
            "console": ("browser_console_messages", {"level": "debug"}),
            "wait_for": ("browser_wait_for", {"text": "$text"}),
        },
        field={"target": "$ref", "name": "$name", "type": "$role", "value": "$value"},
    )
