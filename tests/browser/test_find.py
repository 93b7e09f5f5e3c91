"""Finding the browser, on small machines made of files."""

from __future__ import annotations

from pathlib import Path

import pytest

from pagelens.browser.find import VARIABLE, System, find_browser, is_snap_stub
from pagelens.browser.install import plan_install, ubuntu_commands
from pagelens.core.options import Options
from pagelens.errors import BrowserNotFound, InvalidInput

#: Nothing here needs more than a fresh document.
REUSES_PAGE = True

SNAP_STUB = """#!/bin/sh
if ! [ -x /snap/bin/chromium ]; then
    echo "" >&2
    echo "Command '$0' requires the chromium snap to be installed." >&2
    echo "Please install it with:" >&2
    echo "" >&2
    echo "snap install chromium" >&2
    exit 1
fi
exec /snap/bin/chromium "$@"
"""


class Machine:
    """A directory that stands for a whole machine."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.environ = {"PATH": str(root / "usr/bin"), "HOME": str(root / "home/me")}
        self.platform = "linux"

    @property
    def system(self) -> System:
        return System(environ=self.environ, platform=self.platform, root=self.root)

    def program(self, place: str, text: str = "#!/bin/sh\nexit 0\n") -> Path:
        path = self.root / place.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
        return path

    def find(self, **options: object) -> tuple[Path, str, str]:
        found = find_browser(Options(**options), self.system)  # type: ignore[arg-type]
        return found.path, found.kind, found.how


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_the_named_one_is_taken_before_all_others(machine: Machine) -> None:
    machine.program("/usr/bin/chromium")
    named = machine.program("/opt/mine/my-chromium")
    machine.environ[VARIABLE] = str(machine.program("/opt/other"))
    assert machine.find(executable_path=str(named)) == (named, "chromium", "--executable-path")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda machine: machine.root / "missing", "does not exist"),
        (lambda machine: machine.root, "is a directory"),
        (lambda machine: (machine.program("/x").chmod(0o644), machine.root / "x")[1], "can't be executed"),
    ],
)
def test_a_named_one_that_cannot_be_used_is_an_error_not_a_reason_to_look_elsewhere(
    machine: Machine, make: object, words: str
) -> None:
    machine.program("/usr/bin/chromium")
    path = make(machine)  # type: ignore[operator]
    with pytest.raises(BrowserNotFound, match=words) as caught:
        machine.find(executable_path=str(path))
    assert str(path) in str(caught.value)
    assert "--executable-path" in str(caught.value)


def test_our_variable_counts_before_path_and_a_wrong_one_is_an_error(machine: Machine) -> None:
    machine.program("/usr/bin/chromium")
    machine.environ[VARIABLE] = str(machine.program("/opt/brave-browser"))
    assert machine.find()[1:] == ("brave", VARIABLE)
    machine.environ[VARIABLE] = "/no/such"
    with pytest.raises(BrowserNotFound, match=VARIABLE):
        machine.find()


def test_a_wrong_variable_of_another_tool_is_passed_over(machine: Machine, caplog: pytest.LogCaptureFixture) -> None:
    chromium = machine.program("/usr/bin/chromium")
    machine.environ["CHROME_PATH"] = "/no/such"
    assert machine.find()[0] == chromium
    assert "CHROME_PATH" in caplog.text
    machine.environ["PUPPETEER_EXECUTABLE_PATH"] = str(machine.program("/opt/pup"))
    assert machine.find()[1:] == ("custom", "PUPPETEER_EXECUTABLE_PATH")


def test_names_on_path_in_order_chrome_first(machine: Machine) -> None:
    for name, kind in (
        ("brave-browser", "brave"),
        ("microsoft-edge", "edge"),
        ("chromium", "chromium"),
        ("google-chrome", "stable"),
    ):
        path = machine.program(f"/usr/bin/{name}")
        assert machine.find() == (path, kind, "on PATH")


@pytest.mark.parametrize(
    ("place", "kind"),
    [
        ("/opt/google/chrome/chrome", "stable"),
        ("/usr/lib/chromium/chromium", "chromium"),
        ("/opt/brave.com/brave/brave", "brave"),
    ],
)
def test_known_places_are_searched_when_path_has_none(machine: Machine, place: str, kind: str) -> None:
    path = machine.program(place)
    assert machine.find() == (path, kind, "a known place")


def test_snaps_and_flatpaks_are_found_and_known_to_be_confined(machine: Machine) -> None:
    path = machine.program("/snap/bin/chromium")
    found = find_browser(Options(), machine.system)
    assert (found.path, found.kind, found.confined, found.app) == (path, "chromium", "snap", "chromium")
    path = machine.program("/home/me/.local/share/flatpak/exports/bin/com.google.Chrome")
    found = find_browser(Options(), machine.system)
    assert (found.path, found.kind, found.confined, found.app) == (path, "stable", "flatpak", "com.google.Chrome")
    # One that may write anywhere is preferred.
    path = machine.program("/opt/brave.com/brave/brave")
    assert machine.find() == (path, "brave", "a known place")


def test_a_channel_takes_only_its_own(machine: Machine) -> None:
    machine.program("/usr/bin/google-chrome")
    beta = machine.program("/opt/google/chrome-beta/chrome")
    machine.environ[VARIABLE] = str(machine.program("/opt/other"))
    assert machine.find(channel="beta")[:2] == (beta, "beta")
    with pytest.raises(BrowserNotFound, match="dev channel") as caught:
        machine.find(channel="dev")
    assert "google-chrome-unstable" in caught.value.message
    assert "chromium" not in caught.value.message
    with pytest.raises(InvalidInput, match="stable, beta, dev, canary"):
        machine.find(channel="nightly")


def test_not_found_lists_everything_tried_and_what_to_run(machine: Machine) -> None:
    machine.environ["CHROME_PATH"] = "/no/such"
    with pytest.raises(BrowserNotFound) as caught:
        machine.find()
    text = str(caught.value)
    for tried in (
        "CHROME_PATH=/no/such",
        "on PATH: google-chrome-stable",
        "brave-browser",
        str(machine.root / "opt/google/chrome/chrome"),
        str(machine.root / "snap/bin/chromium"),
        str(machine.root / "var/lib/flatpak/exports/bin/org.chromium.Chromium"),
        str(machine.root / "home/me/.local/share/flatpak/exports/bin/com.brave.Browser"),
    ):
        assert tried in text
    assert "pagelens install-browser" in text
    assert VARIABLE in text


@pytest.mark.parametrize("name", ["chromium", "chromium-browser"])
def test_ubuntus_placeholder_is_recognised_and_the_alternative_printed(machine: Machine, name: str) -> None:
    stub = machine.program(f"/usr/bin/{name}", SNAP_STUB)
    assert is_snap_stub(stub, machine.system)
    with pytest.raises(BrowserNotFound) as caught:
        machine.find()
    assert str(stub) in caught.value.message
    assert "snap install chromium" in caught.value.hint
    with pytest.raises(BrowserNotFound, match="snap install chromium"):
        machine.find(executable_path=str(stub))


def test_the_placeholder_counts_once_the_snap_is_there_and_is_confined(machine: Machine) -> None:
    stub = machine.program("/usr/bin/chromium-browser", SNAP_STUB)
    machine.program("/snap/bin/chromium")
    found = find_browser(Options(), machine.system)
    assert (found.path, found.confined, found.app) == (stub, "snap", "chromium")


def test_a_real_browser_beats_the_placeholder(machine: Machine) -> None:
    machine.program("/usr/bin/chromium-browser", SNAP_STUB)
    brave = machine.program("/usr/bin/brave-browser")
    assert machine.find()[0] == brave


def test_macos_and_windows_places(machine: Machine) -> None:
    machine.platform = "darwin"
    path = machine.program("/home/me/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge")
    assert machine.find()[:2] == (path, "edge")
    path = machine.program("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
    assert machine.find()[:2] == (path, "stable")
    machine.platform = "win32"
    machine.environ["LOCALAPPDATA"] = str(machine.root / "local")
    path = machine.program("/local/Google/Chrome SxS/Application/chrome.exe")
    assert machine.find()[:2] == (path, "canary")


def test_install_plans() -> None:
    debian = plan_install("linux", {"ID": "debian"}, root=True)
    assert debian.commands[-1][-2:] == ("chromium", "chromium-sandbox")
    assert debian.commands[0][0] != "sudo"
    for ubuntu in ({"ID": "ubuntu", "ID_LIKE": "debian"}, {"ID": "linuxmint", "ID_LIKE": "ubuntu debian"}):
        plan = plan_install("linux", ubuntu, root=True)
        assert not plan.commands
        assert plan.advice == ubuntu_commands()
    assert plan_install("linux", {"ID": "fedora"}).advice == ("sudo dnf install -y chromium",)
    assert plan_install("darwin").advice == ("brew install --cask google-chrome",)
    assert plan_install("linux", {}).advice
    # Google has no package for ARM: only the snap is left.
    assert all("google" not in command for command in ubuntu_commands("aarch64"))
