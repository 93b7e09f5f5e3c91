"""Our page-side JavaScript and the isolated world it runs in.

Each frame has at most one isolated world of ours. Pages can't see or touch what is in it: its globals
are pristine whatever the page did to its own, and our maps from node to uid live there. A world holds
one shared object, ``globalThis.__pagelens``, called `lib` in the page-side files:

* ``lib.fn.NAME(...)``: the functions installed so far, each bound to `lib`;
* ``lib.cache``: a Map for per-document caches;
* ``lib.uids``: the uid registry (``js/uids.js``).
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files
from pathlib import PurePosixPath

__all__ = ["OURS", "JsFunction", "World", "new_world_name"]

#: Names a script as ours wherever Chrome shows one: in a recorded trace, a profile, DevTools.
OURS = "//# sourceURL=pagelens"


def new_world_name() -> str:
    """A name for the isolated worlds of one host, as DevTools shows it.

    Chrome gives all who attach to a page the same world when they ask for the same name; but each host has uids of
    its own.
    """
    return f"pagelens {secrets.token_hex(4)}"


@dataclass(frozen=True)
class JsFunction:
    """One page-side function, in a file of its own: ``(lib, ...args) => value``.

    Args:
        package: the package that the file ships in, e.g. ``pagelens.browser``.
        path: the file, relative to the package, e.g. ``js/hit_test.js``. Its stem is the function's name.
        needs: functions that must be installed first, because the file calls ``lib.fn.THEIR_NAME``.
        setup: run it once with `lib` when it is installed, instead of offering it for calls.
    """

    package: str
    path: str
    needs: tuple[JsFunction, ...] = ()
    setup: bool = False

    @cached_property
    def name(self) -> str:
        """The function's name in ``lib.fn``."""
        return PurePosixPath(self.path).stem

    @cached_property
    def source(self) -> str:
        """The file's text: one function expression, after comments."""
        return files(self.package).joinpath(self.path).read_text("utf-8").strip().removesuffix(";")

    def with_needs(self) -> list[JsFunction]:
        """This function and all it needs, in order of installation."""
        ordered = [earlier for need in self.needs for earlier in need.with_needs()]
        return list(dict.fromkeys([*ordered, self]))

    @cached_property
    def installer(self) -> str:
        """An expression that puts the function into the world."""
        bind = "f(lib)" if self.setup else f"lib.fn.{self.name} = (...args) => f(lib, ...args)"
        return (
            "{const lib = globalThis.__pagelens ??= {fn: Object.create(null), cache: new Map()};\n"
            f"const f = ({self.source}\n);\n{bind};}}"
        )


@dataclass
class World:
    """Our isolated world in one document.

    Attributes:
        context_id: Runtime execution context id, valid in the frame's session.
        installed: names of the functions that are there.
    """

    context_id: int
    installed: set[str] = field(default_factory=set)

    def missing(self, function: JsFunction) -> str:
        """The script that installs what `function` needs and this world lacks; empty if nothing."""
        wanted = [f.installer for f in function.with_needs() if f.name not in self.installed]
        return "\n".join([*wanted, OURS]) if wanted else ""

    def has_now(self, function: JsFunction) -> None:
        """Note that the script of `missing` ran."""
        self.installed.update(f.name for f in function.with_needs())
