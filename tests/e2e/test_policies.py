"""The user's rules, as an agent meets them: over stdio, by the flags."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.e2e.conftest import OFFLINE
from tests.support.client import McpClient
from tests.support.site import Site


@asynccontextmanager
async def agent_with(*flags: str, cwd: Path | None = None, env: dict[str, str] | None = None,
                     roots: list[Path] | None = None) -> AsyncIterator[McpClient]:  # fmt: skip
    async with McpClient(OFFLINE, *flags, cwd=cwd, env=env, roots=roots) as client:
        yield client


async def test_addresses() -> None:
    with Site() as site:
        blocked = f"http://localhost:{site.port}/*"
        async with agent_with(
            "--blocked-url-pattern", blocked, "--blockedUrlPattern=*://127.0.0.1:*/private/*"
        ) as agent:
            assert "Navigated to" in await agent.ok("navigate_page", url=site.page("<a href=/private/x>go</a>"))
            for url in (
                site.url("/blank", other=True),
                f"view-source:http://LOCALHOST:{site.port}/blank",
                site.url("/redirect", to=site.url("/blank", other=True)),
                site.origin + "/x/%2e%2e/private/y",
            ):
                reply = await agent.call("navigate_page", url=url)
                assert reply.is_error
                assert "url_not_allowed" in reply or "may not be loaded" in reply
                assert "--blocked-url-pattern" in reply
            reply = await agent.call("new_page", url=site.origin + "/private/z")
            assert reply.is_error
            await agent.ok("navigate_page", url=site.page("<a href=/private/x>go</a>"))
            reply = await agent.call("click", uid="css=a")
            assert "blocked by --blocked-url-pattern *://127.0.0.1:*/private/*" in reply
            assert site.seen("/private/x") == site.seen("/private/y") == site.seen("/private/z") == []
            assert not [r for r in site.requests if r.headers["host"].startswith("localhost")]


async def test_a_pattern_that_can_not_be_kept_ends_the_start(tmp_path: Path) -> None:
    for flags, words in (
        (("--allowed-url-pattern", "https://a/(x|y)"), "regular expressions"),
        (("--blocked-url-pattern", "example.com"), "scheme"),
        (("--workspace", str(tmp_path / "missing")), "no directory"),
        (("--http-credentials", "hushhush"), "https://user:password@"),
    ):
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "pagelens", *flags, stdin=DEVNULL, stdout=PIPE, stderr=PIPE
        )
        _, stderr = await asyncio.wait_for(process.communicate(), 30)
        assert process.returncode == 2
        assert words in stderr.decode()
        assert "hushhush" not in stderr.decode()


async def test_files(tmp_path: Path) -> None:
    work, more, root, outside = (tmp_path / name for name in ("work", "more", "root", "outside"))
    for directory in (work, more, root, outside):
        directory.mkdir()
    (outside / "secret.txt").write_text("SECRET")
    (work / "README.md").write_text("precious")
    (work / "page.html").write_text("<title>mine</title>")
    temporary = tmp_path / "temp"
    temporary.mkdir()
    env = {"TMPDIR": str(temporary)}
    with Site() as site:
        async with agent_with("--workspace", str(more), cwd=work, env=env, roots=[root]) as agent:
            await agent.ok("navigate_page", url=site.url("/"))
            for place in (work, more, root):
                await agent.ok("take_screenshot", filePath=str(place / "a.png"))
                await agent.ok("take_screenshot", filePath=str(place / "a.png"))  # its own kind
                assert (place / "a.png").read_bytes().startswith(b"\x89PNG")
            for path in (outside / "a.png", "../outside/a.png", "/etc/a.png"):
                reply = await agent.call("take_screenshot", filePath=str(path))
                assert reply.is_error
                assert "path_not_allowed" in reply or "lies outside" in reply
                assert str(more) in reply
            script = {"function": "() => 1", "filePath": "README.md"}
            reply = await agent.call("evaluate_script", **script)
            assert reply.is_error
            assert "overwrite: true" in reply
            assert (work / "README.md").read_text() == "precious"
            await agent.ok("evaluate_script", **script, overwrite=True)
            assert (work / "README.md").read_text() == "1"
            assert "Navigated to" in await agent.ok("navigate_page", url=f"file://{work}/page.html")
            reply = await agent.call("navigate_page", url=f"file://{outside}/secret.txt")
            assert reply.is_error
            assert "SECRET" not in await agent.ok("take_snapshot")
            assert sorted(p.name for p in outside.iterdir()) == ["secret.txt"]


async def test_files_everywhere_and_no_pages_from_them(tmp_path: Path) -> None:
    work, outside = tmp_path / "work", tmp_path / "outside"
    work.mkdir()
    outside.mkdir()
    (outside / "a.html").write_text("x")
    async with agent_with("--allow-unrestricted-paths", "--no-file-navigations", cwd=work) as agent:
        await agent.ok("take_screenshot", filePath=str(outside / "a.png"))
        assert (outside / "a.png").exists()
        for url in (f"file://{work}/", f"view-source:file://{outside}/a.html"):
            reply = await agent.call("navigate_page", url=url)
            assert reply.is_error
            assert "--no-file-navigations" in reply


@pytest.mark.parametrize("where", ["root", "home"])
async def test_a_server_that_is_started_nowhere_names_its_output_folder(tmp_path: Path, where: str) -> None:
    home = tmp_path / "home"
    home.mkdir()
    env = {"HOME": str(home)}
    async with agent_with(cwd=Path("/") if where == "root" else home, env=env) as agent:
        reply = await agent.call("take_screenshot", filePath="/etc/a.png")
        assert reply.is_error
        assert str(home / "pagelens-output") in reply
        await agent.ok("take_screenshot", filePath="a.png")
        assert (home / "pagelens-output" / "a.png").exists()


async def test_no_javascript_of_the_agents_own() -> None:
    with Site() as site:
        async with agent_with("--no-javascript-evaluation") as agent:
            tools = await agent.tools()
            assert "evaluate_script" not in tools
            assert "initScript" not in tools["navigate_page"].input_schema["properties"]
            reply = await agent.call("evaluate_script", function="() => 1")
            assert reply.is_error
            assert "without --no-javascript-evaluation" in reply
            reply = await agent.call("navigate_page", url=site.url("/"), initScript="1")
            assert reply.is_error
            for url in ("javascript:alert(1)", "java\nscript:alert(1)", "data:text/html,<h1>x", "VBScript:x",
                        "view-source:data:text/html,x"):  # fmt: skip
                for tool in ("navigate_page", "new_page"):
                    reply = await agent.call(tool, url=url)
                    assert reply.is_error
                    assert "--no-javascript-evaluation" in reply
            assert "Navigated to" in await agent.ok("navigate_page", url=site.url("/"))


async def test_credentials() -> None:
    with Site() as site:
        secret = site.origin.replace("://", "://user:secret@")
        async with agent_with(env={"PAGELENS_HTTP_CREDENTIALS": secret}) as agent:
            assert (
                "Inside"
                in (await agent.ok("navigate_page", url=site.url("/auth"))).text
                + (await agent.ok("take_snapshot")).text
            )
            reply = await agent.ok("navigate_page", url=site.url("/auth", other=True))
            assert "401" in reply
            assert "--http-credentials" in reply
            assert "secret" not in reply
            assert "user:secret" not in agent.server.stderr()
