"""Lists as TOON or GCF: fewer tokens than JSON for whoever reads these formats. The one place that encodes.

The official encoders are extras. Each result is read back with the format's own decoder before it is used: what would
come back as something else is shown as plain text instead.
"""

from __future__ import annotations

import importlib
import importlib.util
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pagelens.errors import InvalidInput

__all__ = ["Encoder", "check_installed", "encoder_for"]

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Format:
    module: str
    package: str
    encode: str
    decode: str


_FORMATS = {
    "toon": _Format("toon_format", "toon-format", "encode", "decode"),
    "gcf": _Format("gcf", "gcf-python", "encode_generic", "decode_generic"),
}


class Encoder:
    """One format.

    Attributes:
        name: ``toon`` or ``gcf``.
    """

    def __init__(self, name: str) -> None:
        found = _FORMATS[name]
        module = importlib.import_module(found.module)
        self.name = name
        self._encode: Callable[[Any], str] = getattr(module, found.encode)
        self._decode: Callable[[str], Any] = getattr(module, found.decode)

    def encode(self, data: dict[str, Any]) -> str | None:
        """`data` (JSON values) encoded, or None when the encoder can't hold it exactly."""
        shared = _with_shared_apart(data) if self.name == "toon" else data
        try:
            encoded = self._encode(shared)
            exact = self._decode(encoded) == shared
        except Exception:
            # Whatever a foreign encoder stumbles over: the reader gets plain text.
            log.exception("%s can't encode a list", self.name)
            return None
        if not exact:
            log.warning("%s would have changed a list", self.name)
            return None
        return encoded.rstrip("\n")


def _with_shared_apart(data: dict[str, Any]) -> dict[str, Any]:
    """What all rows of a table have in common said once, as GCF does by itself and TOON can't."""
    found: dict[str, Any] = {}
    for key, rows in data.items():
        if not isinstance(rows, list) or len(rows) < 2:
            found[key] = rows
            continue
        shared = {name: value for name, value in rows[0].items() if all(_same(row[name], value) for row in rows)}
        if shared and len(shared) < len(rows[0]):
            found[f"{key}InCommon"] = shared
            rows = [{column: value for column, value in row.items() if column not in shared} for row in rows]
        found[key] = rows
    return found


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)


def check_installed(name: str) -> None:
    """See that the encoder of a format is there, without loading it.

    Raises:
        InvalidInput: it is not.
    """
    found = _FORMATS[name]
    if importlib.util.find_spec(found.module) is None:
        raise InvalidInput(
            f"--data-format {name} needs the Python package {found.package}, which is not installed.",
            f"Install it with: pip install 'pagelens[{name}]'",
        )


_loaded: dict[str, Encoder] = {}


def encoder_for(name: str | None) -> Encoder | None:
    """The encoder that the user chose; None for plain text. Loaded when first used."""
    if name is None:
        return None
    if name not in _loaded:
        check_installed(name)
        _loaded[name] = Encoder(name)
    return _loaded[name]
