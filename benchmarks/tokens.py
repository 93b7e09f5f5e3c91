"""How many tokens a text costs an agent (o200k)."""

from __future__ import annotations

from functools import cache
from typing import Any

__all__ = ["count_tokens"]

_PIECE = 100_000  # characters at a time: the encoder's time grows faster than a text's length


@cache
def _encoder() -> Any:
    import bpe_openai  # type: ignore[import-untyped]

    return bpe_openai.get_encoding("o200k_base")


def count_tokens(text: str) -> int:
    """Tokens of `text`."""
    pieces = (text[start : start + _PIECE] for start in range(0, len(text), _PIECE))
    return sum(len(_encoder().encode_ordinary(piece)) for piece in pieces)
