"""Which files may be touched: judged by where a path really leads."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from pagelens.core.files import FilePolicy
from pagelens.errors import FileFailed, PathNotAllowed


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """A working directory, a temporary one, a root and a place outside of all."""
    made = {name: tmp_path / name for name in ("cwd", "temp", "root", "outside")}
    for directory in made.values():
        directory.mkdir()
    monkeypatch.chdir(made["cwd"])
    monkeypatch.setattr(tempfile, "tempdir", str(made["temp"]))
    return made


def test_working_temporary_and_client_directories_are_allowed_and_nothing_else(places: dict[str, Path]) -> None:
    policy = FilePolicy([places["root"]])
    for name in ("cwd", "temp", "root"):
        assert policy.check_write(places[name] / "a" / "b.txt") == places[name] / "a" / "b.txt"
    with pytest.raises(PathNotAllowed) as caught:
        policy.check_write(places["outside"] / "x")
    for name in ("cwd", "temp", "root"):
        assert str(places[name]) in caught.value.hint
    with pytest.raises(PathNotAllowed):
        policy.check_read("/etc/passwd")


def test_relative_paths_start_at_the_working_directory(places: dict[str, Path]) -> None:
    assert FilePolicy().check_write("shot.png") == places["cwd"] / "shot.png"
    with pytest.raises(PathNotAllowed):
        FilePolicy().check_write("../outside/x")


def test_a_sibling_whose_name_begins_alike_is_outside(places: dict[str, Path]) -> None:
    (places["cwd"].parent / "cwd-2").mkdir()
    with pytest.raises(PathNotAllowed):
        FilePolicy().check_write(places["cwd"].parent / "cwd-2" / "x")


def test_links_are_followed_before_the_path_is_judged(places: dict[str, Path]) -> None:
    (places["outside"] / "secret").write_text("x")
    (places["cwd"] / "file-link").symlink_to(places["outside"] / "secret")
    (places["cwd"] / "directory-link").symlink_to(places["outside"])
    (places["cwd"] / "loop").symlink_to("loop")
    policy = FilePolicy()
    for path in ("file-link", "directory-link/secret", "directory-link/new"):
        with pytest.raises(PathNotAllowed):
            policy.check_write(path)
    with pytest.raises(PathNotAllowed):
        policy.check_read("file-link")
    with pytest.raises(PathNotAllowed):
        policy.write_bytes("directory-link/new", b"x")
    with pytest.raises((PathNotAllowed, FileFailed)):  # which of them depends on the version of Python
        policy.write_bytes("loop", b"x")
    assert os.listdir(places["outside"]) == ["secret"]
    (places["cwd"] / "inner").mkdir()
    (places["cwd"] / "inner-link").symlink_to("inner")
    assert policy.check_write("inner-link/x") == places["cwd"] / "inner" / "x"


def test_roots_may_be_file_urls_others_are_passed_over(places: dict[str, Path]) -> None:
    directory = places["outside"] / "with space"
    directory.mkdir()
    policy = FilePolicy([directory.as_uri(), "https://example.org/", "file://server/share", "relative"])
    assert policy.check_write(directory / "x") == directory / "x"
    assert policy.allowed == [places["cwd"], places["temp"], directory]
    policy.set_roots([])
    with pytest.raises(PathNotAllowed):
        policy.check_write(directory / "x")


@pytest.mark.parametrize("path", ["", "a\0b"])
def test_what_names_no_file(path: str) -> None:
    with pytest.raises(PathNotAllowed):
        FilePolicy().check_write(path)


def test_an_ending_is_added_when_none_of_the_wanted_is_there(places: dict[str, Path]) -> None:
    policy = FilePolicy()
    assert policy.check_write("a", extension=".png").name == "a.png"
    assert policy.check_write("a.PNG", extension=".png").name == "a.PNG"
    assert policy.check_write("a.jpg", extension=".png").name == "a.jpg.png"
    assert policy.check_write("a.jpg", extension=[".jpeg", ".jpg"]).name == "a.jpg"
    assert policy.check_write("a", extension=[".jpeg", ".jpg"]).name == "a.jpeg"


def test_reading_needs_a_file(places: dict[str, Path]) -> None:
    with pytest.raises(FileFailed, match="no file"):
        FilePolicy().check_read("missing")
    with pytest.raises(FileFailed, match="directory"):
        FilePolicy().check_read(".")
    (places["cwd"] / "there").touch()
    assert FilePolicy().check_read("there") == places["cwd"] / "there"


def test_writing_makes_directories_and_says_why_it_cannot(places: dict[str, Path]) -> None:
    policy = FilePolicy()
    assert policy.write_bytes("new/deep/file", b"abc").read_bytes() == b"abc"
    with pytest.raises(FileFailed, match="directory"):
        policy.write_bytes("new", b"")
    with pytest.raises(FileFailed, match="could not be written"):
        policy.write_bytes("new/deep/file/below", b"")
