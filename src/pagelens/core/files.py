"""Which files may be read and written, and the only functions that open them. The one place that decides.

A path is judged by where it really leads: every link in it is resolved first. What is then opened is exactly what was
judged: from the allowed directory downwards one part after the other is opened without following links, so one that
is exchanged for a link at the last moment is an error, not a way out.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from pagelens.core.options import Options
from pagelens.core.safe_text import one_line, shortened
from pagelens.errors import FileFailed, InvalidInput, PathNotAllowed

__all__ = ["FilePolicy"]

# Not following links, and not waiting for whoever writes into a pipe that lies there.
_NO_LINKS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)
_DIRECTORY = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _NO_LINKS
#: Variables that may stand in a path. Not all: an error that names the path would tell an agent their values.
_VARIABLES = ("HOME", "PWD", "TMPDIR", "TMP", "TEMP", "USERPROFILE")
_OUTPUT = "pagelens-output"


class FilePolicy:
    """Paths must lie under the working directory, the temporary directory, a workspace, or a root the client named.

    Relative paths start at the working directory. When that is ``/`` or the home folder, as with clients that start
    servers from nowhere in particular, it is not used: relative paths then start at the first workspace or root, else
    at a folder ``pagelens-output`` in the home folder, made when it is needed. ``~``, ``$HOME`` and ``$TMPDIR`` are
    understood, and ``file:`` addresses.

    Args:
        roots: directories the client has opened for us, as paths or ``file:`` URLs (MCP roots). Others are passed over.
        workspaces: directories the user has added.
        unrestricted: the user lifted the restriction; the rules for overwriting stay.

    Raises:
        InvalidInput: a workspace is no directory.
    """

    def __init__(
        self, roots: Sequence[Path | str] = (), *, workspaces: Sequence[str] = (), unrestricted: bool = False
    ) -> None:
        self.unrestricted = unrestricted
        self._workspaces = [_workspace(text) for text in workspaces]
        self._roots: list[Path] = []
        self._replaceable: set[Path] = set()
        self.set_roots(roots)

    @classmethod
    def of(cls, options: Options) -> FilePolicy:
        """The policy that the user chose."""
        return cls(workspaces=options.workspaces, unrestricted=options.unrestricted_paths)

    def set_roots(self, roots: Iterable[Path | str]) -> None:
        """Replace the client's roots."""
        self._roots = [path for root in roots if (path := _local_path(root)) is not None]

    @property
    def base(self) -> Path:
        """Where relative paths start."""
        directory = _working_directory()
        if directory is not None:
            return directory
        return next(iter([*self._workspaces, *self._roots]), None) or _output_folder()

    @property
    def allowed(self) -> list[Path]:
        """The directories under which paths are allowed, resolved, without repeats."""
        directories = [self.base, Path(tempfile.gettempdir()), *self._workspaces, *self._roots]
        return list(dict.fromkeys(directory.resolve() for directory in directories))

    def make_own_folder(self) -> Path:
        """A new folder that only this user can read, for files that nobody named: in the output folder when relative
        paths start there, else in the temporary directory.

        Raises:
            FileFailed: it can't be made.
        """
        parent = self.base if self.base == _output_folder() else Path(tempfile.gettempdir()).resolve()
        with _said(parent, "made"):
            parent.mkdir(parents=True, exist_ok=True)
            return Path(tempfile.mkdtemp(prefix="pagelens-", dir=parent))

    def check_read(self, path: str | Path, *, directory: bool = False) -> Path:
        """The resolved path of a file that exists and may be read.

        Args:
            directory: whether a directory will do.

        Raises:
            PathNotAllowed: it leads outside the allowed directories.
            FileFailed: there is no such file, or it is a directory.
        """
        resolved = self._check(path)
        status = _status(resolved)
        if status is None:
            raise FileFailed(
                f"There is no file {_shown(resolved)}.", f"Check the path; relative paths start at {self.base}."
            )
        if stat.S_ISDIR(status.st_mode) and not directory:
            raise FileFailed(f"{_shown(resolved)} is a directory, not a file.")
        return resolved

    def check_write(
        self,
        path: str | Path,
        *,
        extension: str | Sequence[str] = "",
        own: Sequence[str] | None = None,
        overwrite: bool = False,
    ) -> Path:
        """The resolved path of a file that may be written, whether or not it exists. Nothing is made yet.

        Args:
            extension: the ending it shall have, e.g. ``.png``, appended when it is missing. With several, any of
                them is kept and the first one appended.
            own: of these, the endings by which a file that exists may be replaced; all when None.
            overwrite: replace a file that exists, whatever its ending.

        Raises:
            PathNotAllowed: it leads outside the allowed directories.
            FileFailed: it is a directory, or exists and may not be replaced.
        """
        wanted = [extension] if isinstance(extension, str) else list(extension)
        text = os.fspath(path)
        if wanted and wanted[0] and not text.lower().endswith(tuple(ending.lower() for ending in wanted)):
            text += wanted[0]
        resolved = self._check(text)
        status = _status(resolved)
        replaceable = overwrite or resolved.name.lower().endswith(
            tuple(ending.lower() for ending in (wanted if own is None else own) if ending)
        )
        if status is not None:
            _refuse_to_replace(resolved, status, replaceable)
        # Judged again by what is there when it is written.
        self._replaceable.discard(resolved)
        if replaceable:
            self._replaceable.add(resolved)
        return resolved

    def read_bytes(self, path: str | Path, *, limit: int | None = None) -> bytes:
        """The content of a file.

        Args:
            limit: most bytes it may have.

        Raises:
            PathNotAllowed, FileFailed: as `check_read`, or it can't be read, or is longer than `limit`.
        """
        resolved = self.check_read(path)
        with self._parent(resolved, make=False) as (parent, name), _said(resolved, "read"):
            number = os.open(name, os.O_RDONLY | _NO_LINKS, dir_fd=parent)
            with open(number, "rb") as file:
                status = os.fstat(number)
                if not stat.S_ISREG(status.st_mode):
                    raise FileFailed(f"{_shown(resolved)} is no ordinary file.")
                if limit is not None and status.st_size > limit:
                    raise FileFailed(f"{_shown(resolved)} has {status.st_size} bytes; {limit} is the most.")
                return file.read()

    def write_bytes(self, path: str | Path, data: bytes) -> Path:
        """Write a file that `check_write` has cleared, or a new one, making its directories; returns its path.

        A file that replaces another is written beside it and put there complete: nobody sees half of it, and a second
        name of the former one keeps the former content.

        Raises:
            PathNotAllowed, FileFailed: as `check_write`, or the disk or its permissions say no.
        """
        with self.writing(path) as (file, resolved):
            file.write(data)
        return resolved

    @contextmanager
    def writing(self, path: str | Path) -> Iterator[tuple[BinaryIO, Path]]:
        """As `write_bytes`, for a file that is written piece by piece: it is there when the block has ended well, and
        not at all otherwise. Gives the open file and its path.

        Raises:
            PathNotAllowed, FileFailed: as `write_bytes`.
        """
        resolved = self._check(path)
        replaceable = resolved in self._replaceable
        self._replaceable.discard(resolved)
        with self._parent(resolved, make=True) as (parent, name), _said(resolved, "written"):
            try:
                status = os.stat(name, dir_fd=parent, follow_symlinks=False)
            except FileNotFoundError:
                status = None
            if status is not None:
                _refuse_to_replace(resolved, status, replaceable)
            if not replaceable:
                with _created(parent, name, resolved) as file:
                    yield file, resolved
                return
            draft = f".{secrets.token_hex(8)}.part"
            with _created(parent, draft, resolved, None if status is None else stat.S_IMODE(status.st_mode)) as file:
                yield file, resolved
            try:
                os.replace(draft, name, src_dir_fd=parent, dst_dir_fd=parent)
            except OSError:
                os.unlink(draft, dir_fd=parent)
                raise

    # -- where a path leads --------------------------------------------------------------------------

    def _check(self, path: str | Path) -> Path:
        text = os.fspath(path)
        shown = shortened(one_line(text), 200)
        if not text.strip() or "\0" in text:
            raise PathNotAllowed("An empty path, or one with a NUL character, names no file.")
        try:
            if text.lower().startswith("file:"):
                local = _local_path(text)
                if local is None:
                    raise PathNotAllowed(f"{shown} names no file on this machine.", "Give a path.")
                expanded = local
            else:
                expanded = Path(_expanded(text)).expanduser()
            if "\0" in str(expanded):
                raise PathNotAllowed("A path with a NUL character names no file.")
            resolved = (self.base / expanded).resolve()
            os.fsencode(resolved)
        except (OSError, RuntimeError, ValueError) as error:  # a loop of links, an unknown ~user, half a character
            raise PathNotAllowed(f"The path {shown} can't be resolved: {one_line(str(error))}.") from error
        if not self.unrestricted:
            self._root_of(resolved)
        return resolved

    def _root_of(self, resolved: Path) -> Path:
        """The allowed directory above a path."""
        allowed = self.allowed
        for directory in allowed:
            if resolved.is_relative_to(directory):
                return directory
        if self.unrestricted:
            return Path(resolved.anchor)
        raise PathNotAllowed(
            f"{_shown(resolved)} lies outside the directories that may be used.",
            f"Use a path under one of: {', '.join(map(str, allowed))}. "
            "The user can add more with --workspace DIR when starting pagelens.",
        )

    @contextmanager
    def _parent(self, resolved: Path, *, make: bool) -> Iterator[tuple[int, str]]:
        """The open directory that holds a resolved path, and the path's last part."""
        root = self._root_of(resolved)
        *parts, name = resolved.relative_to(root).parts or ("",)
        if not name:
            raise FileFailed(f"{_shown(resolved)} is a directory.", "Give the name of a file in it.")
        verb = "written" if make else "read"
        with _said(resolved, verb):
            if make:
                root.mkdir(parents=True, exist_ok=True)  # the output folder, at its first use
            number = os.open(root, _DIRECTORY)
        try:
            for part in parts:
                with _said(resolved, verb):
                    inner = _open_directory(number, part, make=make)
                os.close(number)
                number = inner
            yield number, name
        finally:
            os.close(number)


@contextmanager
def _created(parent: int, name: str, path: Path, mode: int | None = None) -> Iterator[BinaryIO]:
    """A new file to be written; it is gone when that fails."""
    try:
        number = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINKS, 0o666, dir_fd=parent)
    except FileExistsError:
        raise _not_replaced(path) from None
    try:
        with open(number, "wb") as file:
            if mode is not None:
                os.chmod(number, mode)
            yield file
    except BaseException:
        os.unlink(name, dir_fd=parent)
        raise


def _open_directory(parent: int, part: str, *, make: bool) -> int:
    try:
        return os.open(part, _DIRECTORY, dir_fd=parent)
    except FileNotFoundError:
        if not make:
            raise
        try:
            os.mkdir(part, dir_fd=parent)
        except FileExistsError:
            pass  # somebody else made it: whatever it is, it is opened without following it
        return os.open(part, _DIRECTORY, dir_fd=parent)


@contextmanager
def _said(path: Path, verb: str) -> Iterator[None]:
    """Turn the system's errors into ours."""
    try:
        yield
    except OSError as error:
        if error.errno == errno.ELOOP or (error.errno == errno.ENOTDIR and _is_link_somewhere(path)):
            raise PathNotAllowed(
                f"{_shown(path)} was not {verb}: a part of it was exchanged for a link meanwhile, or links to itself.",
                "Give the path that the link leads to.",
            ) from error
        raise FileFailed(f"{_shown(path)} could not be {verb}: {error.strerror or error}.") from error


def _is_link_somewhere(path: Path) -> bool:
    return any(part.is_symlink() for part in (path, *path.parents))


def _status(path: Path) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise FileFailed(f"{_shown(path)} can't be used: {error.strerror or error}.") from error


def _refuse_to_replace(path: Path, status: os.stat_result, replaceable: bool) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise FileFailed(f"{_shown(path)} is a directory.", "Give the name of a file in it.")
    if stat.S_ISLNK(status.st_mode):
        raise PathNotAllowed(f"{_shown(path)} is a link to itself, or became a link meanwhile.", "Use another name.")
    if not stat.S_ISREG(status.st_mode):
        raise FileFailed(f"{_shown(path)} is no ordinary file.", "Use another name.")
    if not replaceable:
        raise _not_replaced(path)


def _not_replaced(path: Path) -> FileFailed:
    return FileFailed(
        f"{_shown(path)} exists, and was left as it is.", "Use another name, or pass overwrite: true to replace it."
    )


def _shown(path: Path) -> str:
    return shortened(one_line(str(path)), 300)


def _expanded(text: str) -> str:
    def value(match: re.Match[str]) -> str:
        name = match[1] or match[2] or match[3]
        return os.environ.get(name, match[0]) if name in _VARIABLES else match[0]

    return re.sub(r"\$(\w+)|\$\{(\w+)\}|%(\w+)%", value, text, flags=re.ASCII)


def _working_directory() -> Path | None:
    """Where we were started; None when that is nowhere in particular, or gone."""
    try:
        directory = Path.cwd().resolve()
    except OSError:
        return None
    return None if directory in (Path(directory.anchor), _home()) else directory


def _home() -> Path | None:
    try:
        return Path.home().resolve()
    except RuntimeError:
        return None


def _output_folder() -> Path:
    home = _home()
    if home is None or home == Path(home.anchor) or not os.access(home, os.W_OK):
        return Path(tempfile.gettempdir()).resolve() / _OUTPUT
    return home / _OUTPUT


def _workspace(text: str) -> Path:
    # The user's own word: any variable may stand in it.
    path = Path(os.path.expandvars(text)).expanduser().resolve()
    if not path.is_dir():
        raise InvalidInput(f"--workspace {one_line(text)} is no directory.", "Make it, or name another one.")
    return path


def _local_path(root: Path | str) -> Path | None:
    """A root as a path; None for a URL of another scheme, or a relative path, which would depend on where we run."""
    if isinstance(root, str) and root.lower().startswith("file:"):
        try:
            parts = urlsplit(root)
        except ValueError:
            return None
        if parts.netloc not in ("", "localhost"):
            return None
        # Bytes that are no text stay what they are: Chrome opens the file of that name.
        root = url2pathname(parts.path) if os.name == "nt" else unquote(parts.path, errors="surrogateescape")
    path = Path(root)
    return path if path.is_absolute() else None
