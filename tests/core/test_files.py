"""Which files may be touched: judged by where a path really leads, and opened as judged."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pagelens.core.files import FilePolicy
from pagelens.core.options import Options
from pagelens.errors import FileFailed, InvalidInput, PagelensError, PathNotAllowed


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """A working directory, a temporary one, a root, a workspace, a home and a place outside of all."""
    made = {name: tmp_path / name for name in ("cwd", "temp", "root", "workspace", "home", "outside")}
    for directory in made.values():
        directory.mkdir()
    monkeypatch.chdir(made["cwd"])
    monkeypatch.setattr(tempfile, "tempdir", str(made["temp"]))
    monkeypatch.setenv("HOME", str(made["home"]))
    return made


@pytest.fixture
def tree(places: dict[str, Path]) -> dict[str, Path]:
    """Files and links of every kind in the working directory and beside it."""
    cwd, outside = places["cwd"], places["outside"]
    (outside / "secret").write_text("secret")
    (cwd.parent / "cwd2").mkdir()
    (cwd.parent / "cwd2" / "file").write_text("sibling")
    (cwd / "file").write_text("file")
    (cwd / "pic.png").write_text("old")
    (cwd / "naïve name").write_text("file")
    (cwd / "dir").mkdir()
    (cwd / "dir" / "inner").write_text("inner")
    (cwd / "link-to-file").symlink_to("file")
    (cwd / "link-to-dir").symlink_to("dir")
    (cwd / "link-out").symlink_to(outside / "secret")
    (cwd / "dir-out").symlink_to(outside)
    (cwd / "dangling-out").symlink_to(outside / "not-there")
    (cwd / "dangling-in").symlink_to("not-there")
    (cwd / "dangling-twice").symlink_to("dangling-out")
    (cwd / "self").symlink_to("self")
    (cwd / "up").symlink_to("..")
    (cwd / "root").symlink_to("/")
    os.mkfifo(cwd / "pipe")
    return places


ALLOWED, OUTSIDE, FAILED = "allowed", "PathNotAllowed", "FileFailed"

#: path, what reading it gives, what writing it (as a .txt, overwriting allowed) gives.
PATHS = [
    ("file", ALLOWED, ALLOWED),
    ("./file", ALLOWED, ALLOWED),
    ("dir/../file", ALLOWED, ALLOWED),
    ("{cwd}/file", ALLOWED, ALLOWED),
    ("{cwd}//dir///inner", ALLOWED, ALLOWED),
    ("naïve name", ALLOWED, ALLOWED),
    ("file://{cwd}/file", ALLOWED, ALLOWED),
    ("FILE://localhost{cwd}/na%C3%AFve%20name", ALLOWED, ALLOWED),
    ("$PWD/file", ALLOWED, ALLOWED),
    ("${TMPDIR}/new", FAILED, ALLOWED),
    ("{temp}/new", FAILED, ALLOWED),
    ("{root}/new", FAILED, ALLOWED),
    ("{workspace}/a/b/c", FAILED, ALLOWED),
    ("new", FAILED, ALLOWED),
    ("link-to-file", ALLOWED, ALLOWED),
    ("link-to-dir/inner", ALLOWED, ALLOWED),
    ("dangling-in", FAILED, ALLOWED),
    ("up/cwd/file", ALLOWED, ALLOWED),
    ("/proc/self/cwd/file", ALLOWED, ALLOWED),
    ("..", OUTSIDE, OUTSIDE),
    ("../outside/secret", OUTSIDE, OUTSIDE),
    ("dir/../../outside/secret", OUTSIDE, OUTSIDE),
    ("{cwd}/../cwd2/file", OUTSIDE, OUTSIDE),
    ("{cwd}2/file", OUTSIDE, OUTSIDE),
    ("{cwd}2", OUTSIDE, OUTSIDE),
    ("{temp}/../outside/secret", OUTSIDE, OUTSIDE),
    ("/etc/passwd", OUTSIDE, OUTSIDE),
    ("//etc/passwd", OUTSIDE, OUTSIDE),
    ("/", OUTSIDE, OUTSIDE),
    ("~/.ssh/id_rsa", OUTSIDE, OUTSIDE),
    ("~nobody-of-this-name/x", OUTSIDE, OUTSIDE),
    ("$HOME/x", OUTSIDE, OUTSIDE),
    ("link-out", OUTSIDE, OUTSIDE),
    ("dir-out/secret", OUTSIDE, OUTSIDE),
    ("dir-out/new", OUTSIDE, OUTSIDE),
    ("dangling-out", OUTSIDE, OUTSIDE),
    ("dangling-twice", OUTSIDE, OUTSIDE),
    ("up/outside/secret", OUTSIDE, OUTSIDE),
    ("root/etc/passwd", OUTSIDE, OUTSIDE),
    ("/proc/{pid}/root/etc/passwd", OUTSIDE, OUTSIDE),
    ("/proc/self/fd/0", OUTSIDE, OUTSIDE),
    ("/dev/stdout", OUTSIDE, OUTSIDE),
    ("file:///etc/passwd", OUTSIDE, OUTSIDE),
    ("file://otherhost{cwd}/file", OUTSIDE, OUTSIDE),
    ("file://{cwd}/%2e%2e/outside/secret", OUTSIDE, OUTSIDE),
    ("FILE", FAILED, ALLOWED),  # another name than "file" where case matters
    ("", OUTSIDE, OUTSIDE),
    ("  ", OUTSIDE, OUTSIDE),
    ("file\0.png", OUTSIDE, OUTSIDE),
    ("file://{cwd}/file%00", OUTSIDE, OUTSIDE),
    ("half \ud800 character", OUTSIDE, OUTSIDE),
    ("x" * 300, FAILED, FAILED),
    ("y/" * 3000 + "z", FAILED, FAILED),
    ("dir", FAILED, FAILED),
    ("file/below", FAILED, FAILED),
    ("pipe", FAILED, FAILED),
]


@pytest.mark.parametrize(("path", "read", "written"), PATHS, ids=[repr(path)[:40] for path, *_ in PATHS])
def test_path(tree: dict[str, Path], path: str, read: str, written: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tree["temp"]))
    monkeypatch.setenv("PWD", str(tree["cwd"]))
    policy = FilePolicy([tree["root"]], workspaces=[str(tree["workspace"])])
    given = path.replace("{pid}", str(os.getpid()))
    for name, directory in tree.items():
        given = given.replace("{" + name + "}", str(directory))
    outside = _contents(tree["outside"]) | _contents(tree["cwd"].parent / "cwd2")

    def write() -> None:
        policy.check_write(given, overwrite=True)
        policy.write_bytes(given, b"new")

    assert _outcome(lambda: policy.read_bytes(given)) == read
    assert _outcome(write) == written
    assert _contents(tree["outside"]) | _contents(tree["cwd"].parent / "cwd2") == outside
    if written == ALLOWED:
        assert policy.read_bytes(given) == b"new"


def _outcome(action: Callable[[], object]) -> str:
    try:
        action()
    except PagelensError as error:
        return type(error).__name__
    return ALLOWED


def _contents(directory: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def test_the_table_is_long_enough() -> None:
    assert len(PATHS) >= 40


# -- where ---------------------------------------------------------------------------------------------


def test_refusals_name_every_allowed_directory_and_the_flag(places: dict[str, Path]) -> None:
    policy = FilePolicy([places["root"]], workspaces=[str(places["workspace"])])
    with pytest.raises(PathNotAllowed) as caught:
        policy.check_write(places["outside"] / "x")
    for name in ("cwd", "temp", "root", "workspace"):
        assert str(places[name]) in caught.value.hint
    assert "--workspace" in caught.value.hint


def test_roots_may_be_file_urls_others_are_passed_over(places: dict[str, Path]) -> None:
    directory = places["outside"] / "with space"
    directory.mkdir()
    policy = FilePolicy([directory.as_uri(), "https://example.org/", "file://server/share", "file://[x", "relative"])
    assert policy.check_write(directory / "x") == directory / "x"
    assert policy.allowed == [places["cwd"], places["temp"], directory]
    policy.set_roots([])
    with pytest.raises(PathNotAllowed):
        policy.check_write(directory / "x")


def test_a_workspace_must_be_there_and_may_be_written_with_variables(
    places: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROJECT", "workspace")
    policy = FilePolicy.of(Options(workspaces=("../$PROJECT",)))
    assert policy.allowed[-1] == places["workspace"]
    with pytest.raises(InvalidInput, match="not-there is no directory"):
        FilePolicy(workspaces=["not-there"])


def test_unrestricted_goes_everywhere_and_still_replaces_nothing_unasked(places: dict[str, Path]) -> None:
    policy = FilePolicy.of(Options(unrestricted_paths=True))
    target = policy.write_bytes(places["outside"] / "new", b"a")
    assert target.read_bytes() == b"a"
    assert policy.check_read("/etc/passwd") == Path("/etc/passwd")
    with pytest.raises(FileFailed, match="exists"):
        policy.check_write(target)


@pytest.mark.parametrize("where", ["/", "home"])
def test_a_working_directory_that_means_nothing_is_not_used(
    places: dict[str, Path], monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    monkeypatch.chdir(places.get(where, Path("/")))
    policy = FilePolicy()
    folder = places["home"] / "pagelens-output"
    for outside in ("/etc/passwd", "/etc/new", places["home"] / ".profile", places["home"] / "new"):
        with pytest.raises(PathNotAllowed) as caught:
            policy.check_write(outside)
        assert str(folder) in caught.value.hint
    assert not folder.exists()
    assert policy.write_bytes("shot.png", b"x") == folder / "shot.png"
    # With a directory of the client's or the user's own, relative paths start there.
    assert FilePolicy([places["root"]]).check_write("a") == places["root"] / "a"
    assert FilePolicy([places["root"]], workspaces=[str(places["workspace"])]).base == places["workspace"]


def test_the_output_folder_is_in_the_temporary_directory_when_home_is_no_place(
    places: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/")
    monkeypatch.setenv("HOME", "/")
    assert FilePolicy().base == places["temp"] / "pagelens-output"


def test_variables_that_could_tell_a_secret_stay_as_they_are(
    places: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("API_KEY", "hush")
    with pytest.raises(PathNotAllowed) as caught:
        FilePolicy().check_read("/$API_KEY/%API_KEY%/x")
    assert "hush" not in str(caught.value)
    assert FilePolicy().check_write("price $5 ${API_KEY}.txt").name == "price $5 ${API_KEY}.txt"


# -- endings and what may be replaced ------------------------------------------------------------------


def test_an_ending_is_added_when_none_of_the_wanted_is_there(places: dict[str, Path]) -> None:
    policy = FilePolicy()
    assert policy.check_write("a", extension=".png").name == "a.png"
    assert policy.check_write("a.PNG", extension=".png").name == "a.PNG"
    assert policy.check_write("a.jpg", extension=".png").name == "a.jpg.png"
    assert policy.check_write("a.jpg", extension=[".jpeg", ".jpg"]).name == "a.jpg"
    assert policy.check_write("a", extension=[".jpeg", ".jpg"]).name == "a.jpeg"


def test_a_file_is_replaced_only_by_its_own_kind_or_on_request(places: dict[str, Path]) -> None:
    policy = FilePolicy()
    for name in ("pic.png", "data.json", "README.md", "plain"):
        (places["cwd"] / name).write_text("precious")
    kinds = (".json", ".md")
    policy.check_write("pic.png", extension=".png")
    policy.check_write("data.json", extension=kinds, own=(".json",))
    for refused in ("README.md",):
        with pytest.raises(FileFailed, match="overwrite: true"):
            policy.check_write(refused, extension=kinds, own=(".json",))
    with pytest.raises(FileFailed, match="exists"):
        policy.check_write("plain")
    with pytest.raises(FileFailed, match="exists"):
        policy.write_bytes("plain", b"new")
    assert (places["cwd"] / "plain").read_text() == "precious"
    policy.check_write("plain", overwrite=True)
    policy.write_bytes("plain", b"new")
    assert (places["cwd"] / "plain").read_text() == "new"
    # Once: the next one must be cleared again.
    with pytest.raises(FileFailed, match="exists"):
        policy.write_bytes("plain", b"newer")


def test_a_file_that_appears_between_check_and_write_is_left_alone(places: dict[str, Path]) -> None:
    policy = FilePolicy()
    policy.check_write("notes")
    (places["cwd"] / "notes").write_text("precious")
    with pytest.raises(FileFailed, match="exists"):
        policy.write_bytes("notes", b"x")
    assert (places["cwd"] / "notes").read_text() == "precious"


def test_a_replaced_file_keeps_its_mode_and_its_other_names_their_content(places: dict[str, Path]) -> None:
    policy = FilePolicy()
    first = places["cwd"] / "a.png"
    first.write_text("old")
    first.chmod(0o640)
    os.link(first, places["outside"] / "same")
    policy.check_write("a.png", extension=".png")
    policy.write_bytes("a.png", b"new")
    assert first.read_bytes() == b"new"
    assert first.stat().st_mode & 0o777 == 0o640
    assert (places["outside"] / "same").read_text() == "old"
    assert os.listdir(places["cwd"]) == ["a.png"]


def test_writing_makes_directories_and_says_why_it_cannot(places: dict[str, Path]) -> None:
    policy = FilePolicy()
    assert policy.write_bytes("new/deep/file", b"abc").read_bytes() == b"abc"
    with pytest.raises(FileFailed, match="directory"):
        policy.write_bytes("new", b"")
    with pytest.raises(FileFailed, match="directory"):
        policy.write_bytes(places["cwd"], b"")
    with pytest.raises(FileFailed, match="could not be written"):
        policy.write_bytes("new/deep/file/below", b"")
    with pytest.raises(FileFailed, match="could not be written"):
        policy.write_bytes("long/" + "x" * 300, b"")
    assert os.listdir(places["cwd"] / "long") == []


def test_reading_has_a_limit_and_needs_an_ordinary_file(tree: dict[str, Path]) -> None:
    policy = FilePolicy()
    assert policy.read_bytes("file", limit=4) == b"file"
    with pytest.raises(FileFailed, match="4 bytes; 3 is the most"):
        policy.read_bytes("file", limit=3)
    with pytest.raises(FileFailed, match="no ordinary file"):
        policy.read_bytes("pipe")
    with pytest.raises(FileFailed, match=r"no file .*missing"):
        policy.check_read("missing")
    with pytest.raises(FileFailed, match="directory"):
        policy.check_read("dir")
    assert policy.check_read("dir", directory=True) == tree["cwd"] / "dir"


# -- races ---------------------------------------------------------------------------------------------


@contextmanager
def swapping(place: Path, outside: Path) -> Iterator[threading.Event]:
    """A thread that makes `place` a directory, a link to `outside`, a directory… as fast as it can."""
    stop = threading.Event()
    aside = place.with_name("aside")
    link = place.with_name("link")
    link.symlink_to(outside)
    place.mkdir()

    def swap() -> None:
        number = 0
        while not stop.is_set():
            place.rename(aside)
            while True:
                try:
                    link.rename(place)
                except OSError:  # the other side has made the directory anew
                    number += 1
                    place.rename(place.with_name(f"made-{number}"))
                else:
                    break
            place.rename(link)
            try:
                aside.rename(place)
            except OSError:
                number += 1
                aside.rename(aside.with_name(f"aside-{number}"))

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield stop
    finally:
        stop.set()
        thread.join()


def test_a_directory_exchanged_for_a_link_is_never_written_through(places: dict[str, Path]) -> None:
    policy = FilePolicy()
    outcomes: dict[str, int] = {}
    with swapping(places["cwd"] / "d", places["outside"]):
        for number in range(1000):
            outcome = _outcome(lambda n=number: policy.write_bytes(f"d/{n}.txt", b"x"))  # type: ignore[misc]
            outcomes[outcome] = outcomes.get(outcome, 0) + 1
    assert os.listdir(places["outside"]) == []
    # The race was on: some calls met the directory, some the link.
    assert outcomes.get(ALLOWED), outcomes
    assert outcomes.get("PathNotAllowed"), outcomes


def test_a_directory_exchanged_for_a_link_is_never_read_through(places: dict[str, Path]) -> None:
    policy = FilePolicy()
    (places["outside"] / "f").write_text("secret")
    seen: set[str] = set()
    found: list[bytes] = []
    with swapping(places["cwd"] / "d", places["outside"]):
        for _ in range(1000):
            seen.add(_outcome(lambda: found.append(policy.read_bytes("d/f"))))
    assert found == []
    assert "PathNotAllowed" in seen


def test_a_link_put_in_the_place_of_the_file_is_not_followed(
    places: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The very moment between the judgement and the opening."""
    policy = FilePolicy()
    (places["outside"] / "secret.png").write_text("secret")
    target = places["cwd"] / "a.png"
    target.write_text("mine")
    judge = FilePolicy._check

    def judge_then_swap(self: FilePolicy, path: str | Path) -> Path:
        resolved = judge(self, path)
        target.unlink(missing_ok=True)
        target.symlink_to(places["outside"] / "secret.png")
        return resolved

    monkeypatch.setattr(FilePolicy, "_check", judge_then_swap)
    with pytest.raises(PathNotAllowed, match="link"):
        policy.read_bytes("a.png")
    with pytest.raises(PathNotAllowed, match="link"):
        policy.write_bytes("a.png", b"x")
    assert (places["outside"] / "secret.png").read_text() == "secret"
