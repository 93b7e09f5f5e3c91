"""Which files a tool may read or write. The one place that decides."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from pagelens.errors import FileFailed, PathNotAllowed

__all__ = ["FilePolicy"]


class FilePolicy:
    """Paths must lie under the working directory, the temporary directory, or a root that the client named.

    A path is judged by where it really leads: links are resolved first, in every part of it. Relative
    paths start at the working directory.

    Args:
        roots: directories the client has opened for us, as paths or ``file:`` URLs (MCP roots). Others are passed over.
    """

    def __init__(self, roots: Sequence[Path | str] = ()) -> None:
        self._roots: list[Path] = []
        self.set_roots(roots)

    def set_roots(self, roots: Iterable[Path | str]) -> None:
        """Replace the client's roots."""
        self._roots = [path for root in roots if (path := _local_path(root)) is not None]

    @property
    def allowed(self) -> list[Path]:
        """The directories under which paths are allowed, resolved, without repeats."""
        directories = [Path.cwd(), Path(tempfile.gettempdir()), *self._roots]
        return list(dict.fromkeys(directory.resolve() for directory in directories))

    def check_read(self, path: str | Path) -> Path:
        """The resolved path of a file that exists and may be read.

        Raises:
            PathNotAllowed: it leads outside the allowed directories.
            FileFailed: there is no such file, or it is a directory.
        """
        resolved = self._check(path)
        if not resolved.exists():
            raise FileFailed(
                f"There is no file {resolved}.", "Check the path; relative paths start at " + str(Path.cwd())
            )
        if resolved.is_dir():
            raise FileFailed(f"{resolved} is a directory, not a file.")
        return resolved

    def check_write(self, path: str | Path, *, extension: str | Sequence[str] = "") -> Path:
        """The resolved path of a file that may be written, whether or not it exists.

        Args:
            extension: the ending it shall have, e.g. ``.png``, appended when it is missing. With several, any of
                them is kept and the first one appended.

        Raises:
            PathNotAllowed: it leads outside the allowed directories.
            FileFailed: it is a directory.
        """
        wanted = [extension] if isinstance(extension, str) else list(extension)
        text = os.fspath(path)
        if wanted and wanted[0] and not text.lower().endswith(tuple(ending.lower() for ending in wanted)):
            text += wanted[0]
        resolved = self._check(text)
        if resolved.is_dir():
            raise FileFailed(f"{resolved} is a directory.", "Give the name of a file in it.")
        return resolved

    def write_bytes(self, path: str | Path, data: bytes) -> Path:
        """Write a file, replacing what was there and making its directories; returns the resolved path.

        Raises:
            PathNotAllowed: as `check_write`.
            FileFailed: the disk or its permissions say no.
        """
        target = self.check_write(path)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        except OSError as error:
            raise FileFailed(f"{target} could not be written: {error.strerror or error}.") from error
        return target

    def _check(self, path: str | Path) -> Path:
        text = os.fspath(path)
        if not text or "\0" in text:
            raise PathNotAllowed("An empty path, or one with a NUL character, names no file.")
        try:
            resolved = Path(text).expanduser().resolve()
        except (OSError, RuntimeError) as error:  # a loop of links, an unknown ~user
            raise PathNotAllowed(f"The path {text} can't be resolved: {error}.") from error
        allowed = self.allowed
        if not any(resolved.is_relative_to(directory) for directory in allowed):
            raise PathNotAllowed(
                f"{resolved} lies outside the directories that may be used.",
                "Use a path under one of: " + ", ".join(map(str, allowed)),
            )
        return resolved


def _local_path(root: Path | str) -> Path | None:
    """A root as a path; None for a URL of another scheme, or a relative path, which would depend on where we run."""
    if isinstance(root, str) and root.lower().startswith("file:"):
        parts = urlsplit(root)
        if parts.netloc not in ("", "localhost"):
            return None
        root = url2pathname(parts.path) if os.name == "nt" else unquote(parts.path)
    path = Path(root)
    return path if path.is_absolute() else None
