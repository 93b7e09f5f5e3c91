"""A 64-bit hash of an element's shape: shapes that differ in little have hashes that differ in few bits."""

from __future__ import annotations

import hashlib
from typing import Any

from pagelens.snapshot.outline.node import ElementNode

__all__ = ["DomSimHash"]

_Feature = tuple[Any, ...]

_LANES = 64
_LANE_BITS = 16
#: Half of each lane's range: a lane above it is positive.
_BIAS = int.from_bytes(b"\x00\x80" * _LANES, "little")
_MASK = (1 << (_LANES * _LANE_BITS)) - 1
#: A lane's high byte as the digit of its sign.
_SIGNS = bytes(ord("0") if value < 128 else ord("1") for value in range(256))
#: The weight of each kind of feature. The role is none of them: it would decide every bit.
_WEIGHTS = {"child": 3, "acts": 3, "state": 2, "named": 2, "grandchild": 1, "size": 1, "height": 1}
_HIGHEST = 6
_MOST_GRANDCHILDREN = 12


class DomSimHash:
    """Hashes shapes. Sums of signed feature hashes live in one big integer, 64 lanes of 16 bits."""

    def __init__(self) -> None:
        self._vectors: dict[_Feature, int] = {}
        self._hashes: dict[tuple[_Feature, ...], int] = {}

    def of(self, node: ElementNode) -> int:
        """The hash of a node whose children have been measured; see `measure`."""
        features = self.features(node)
        found = self._hashes.get(features)
        if found is None:
            total = _BIAS
            for feature in features:
                total += self._vector(feature) * _WEIGHTS[feature[0]]
            raw = (total & _MASK).to_bytes(_LANES * _LANE_BITS // 8, "little")
            found = self._hashes[features] = int(raw[1::2].translate(_SIGNS), 2)
        return found

    @staticmethod
    def distance(one: int, other: int) -> int:
        """How many bits differ."""
        return (one ^ other).bit_count()

    @staticmethod
    def features(node: ElementNode) -> tuple[_Feature, ...]:
        """What of a node counts: its size and height, whether it acts or is named, its states, roles below it."""
        below = sorted({(child.type, role) for child in node.children for role in child.roles})
        return (
            ("height", min(node.height, _HIGHEST)),
            ("size", node.size.bit_length()),
            ("acts", node.acts > 0, node.has_interaction),
            ("named", node.content != ""),
            *(("state", state.partition("=")[0]) for state in node.states),
            *(("child", role) for role in node.roles),
            *(("grandchild", *pair) for pair in below[:_MOST_GRANDCHILDREN]),
        )

    def _vector(self, feature: _Feature) -> int:
        vector = self._vectors.get(feature)
        if vector is None:
            bits = int.from_bytes(hashlib.blake2b(repr(feature).encode(), digest_size=8).digest(), "little")
            vector = sum((1 if bits >> lane & 1 else -1) << (_LANE_BITS * lane) for lane in range(_LANES))
            self._vectors[feature] = vector
        return vector
