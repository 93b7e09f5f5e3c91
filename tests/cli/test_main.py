"""The command as users run it: a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from pagelens import __version__
from pagelens.browser.install import InstallPlan
from pagelens.cli import doctor as doctor_module
from pagelens.cli import install_browser as install_module
from pagelens.cli.install_browser import install_browser
from pagelens.core.options import Options
from pagelens.errors import BrowserNotFound


def run(*arguments: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pagelens", *arguments],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        env={**os.environ, **(env or {})},
        timeout=60,
        check=False,
    )


def test_version() -> None:
    done = run("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"pagelens {__version__}\n", "")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--vieport"], "--viewport"),
        (["--isolated", "--user-data-dir=x"], "contradict"),
        (["--chrome-arg=--user-data-dir=x"], "--user-data-dir"),
        (["--log-file", "/no/such/directory/log"], "can't be opened"),
    ],
)
def test_a_command_line_that_cannot_be_right_ends_the_start(arguments: list[str], words: str) -> None:
    done = run(*arguments)
    assert done.returncode in (1, 2)
    assert done.stdout == ""
    assert words in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("name", "module"), [("toon", "toon_format"), ("gcf", "gcf")])
def test_an_encoder_that_is_not_installed_ends_the_start(name: str, module: str) -> None:
    code = (
        "import importlib.util as u, sys; find = u.find_spec; "
        f"u.find_spec = lambda name: None if name == {module!r} else find(name); "
        f"from pagelens.cli.main import main; sys.exit(main(['--data-format', {name!r}]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert f"pip install 'pagelens[{name}]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_doctor_where_all_is_well() -> None:
    done = run("doctor", "--headless")
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert all(line.startswith("ok ") for line in lines)
    assert [line.split()[1] for line in lines if " note " not in line] == [
        "pagelens",
        "browser",
        "profile",
        "start",
        "page",
        "picture",
        "end",
        "tools",
    ]
    assert done.stderr == ""


def test_doctor_without_a_browser_says_what_to_do() -> None:
    done = run("doctor", env={"PAGELENS_EXECUTABLE_PATH": "/no/such/chrome"})
    assert done.returncode == 1
    assert "FAIL  browser" in done.stdout
    assert "Correct PAGELENS_EXECUTABLE_PATH" in done.stdout


def test_doctor_with_a_browser_that_does_not_start(tmp_path: Path) -> None:
    fake = tmp_path / "chrome"
    fake.write_text("#!/bin/sh\necho 'error while loading shared libraries: libnss3.so: cannot open' >&2\nexit 127\n")
    fake.chmod(0o755)
    done = run("doctor", "--executable-path", str(fake))
    assert done.returncode == 1
    assert "ok    browser" in done.stdout
    assert "FAIL  start" in done.stdout
    assert "libnss3.so is missing" in done.stdout


def test_doctor_tells_of_a_locked_profile_and_still_tests_the_rest(tmp_path: Path) -> None:
    (tmp_path / "SingletonLock").symlink_to("old-container-17")
    done = run("doctor", "--headless", "--user-data-dir", str(tmp_path))
    assert done.returncode == 1
    assert "FAIL  profile" in done.stdout
    assert "old-container" in done.stdout
    assert "ok    page" in done.stdout


def test_doctor_leaves_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert doctor_module.doctor(Options(headless=True)) == 0
    assert os.listdir(tmp_path) == []


def test_tools_json_is_what_tools_list_would_serve() -> None:
    done = run("tools", "--json", "--no-category-network")
    assert done.returncode == 0, done.stderr
    tools = {tool["name"]: tool for tool in json.loads(done.stdout)}
    assert "take_snapshot" in tools
    assert "list_network_requests" not in tools
    assert tools["click"]["inputSchema"]["required"] == ["uid"]
    assert "pageId" in tools["click"]["inputSchema"]["properties"]
    without = json.loads(run("tools", "--json", "--no-page-id-routing").stdout)
    assert not any("pageId" in tool["inputSchema"]["properties"] for tool in without if tool["name"] == "click")


def test_tools_for_people_and_a_reader_that_stops() -> None:
    done = run("tools")
    assert done.returncode == 0
    assert any(line.startswith("take_snapshot ") for line in done.stdout.splitlines())
    process = subprocess.Popen(
        [sys.executable, "-m", "pagelens", "tools", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.close()
    _, errors = process.communicate(timeout=60)
    assert errors == b""


def test_install_browser_is_content_with_one_that_is_there() -> None:
    done = run("install-browser")
    assert done.returncode == 0
    assert "There is a browser already" in done.stdout


def no_browser(options: Options) -> object:
    raise BrowserNotFound("none")


def test_install_browser_runs_its_plan_and_stops_at_the_first_failure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    marker = tmp_path / "ran"
    plan = InstallPlan(commands=(("touch", str(marker)), ("false",), ("touch", str(marker) + "2")), advice=("by hand",))
    monkeypatch.setattr(install_module, "plan_install", lambda: plan)
    monkeypatch.setattr(install_module, "find_browser", no_browser)
    assert install_browser(Options(), dry_run=True) == 0
    assert not marker.exists()
    assert f"+ touch {marker}\n" in capsys.readouterr().out
    assert install_browser(Options()) == 1
    assert os.listdir(tmp_path) == ["ran"]
    assert "exit code 1. By hand: by hand" in capsys.readouterr().err


def test_install_browser_only_says_how_where_it_can_do_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = InstallPlan(advice=("one way", "another way"), why="Because.")
    monkeypatch.setattr(install_module, "plan_install", lambda: plan)
    monkeypatch.setattr(install_module, "find_browser", no_browser)
    assert install_browser(Options()) == 1
    assert capsys.readouterr().out == "Because. Run one of these:\n  one way\n  another way\n"


def test_nothing_heavy_is_imported_to_read_the_command_line() -> None:
    program = (
        "import sys; import pagelens.cli.main; from pagelens.cli.flags import parse; parse(['--isolated'])\n"
        "print([name for name in ('mcp', 'pydantic', 'asyncio', 'msgspec', 'pagelens.browser', 'pagelens.server', "
        "'pagelens.tools') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
