"""The groups that tools come in, and which of them are on unless the user says otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

__all__ = ["CATEGORIES", "category_flag", "is_category_on"]

#: Category name (as in ``--[no-]category-NAME``) to whether it is on by default.
CATEGORIES: Mapping[str, bool] = MappingProxyType(
    {
        "input": True,
        "navigation": True,
        "emulation": True,
        "performance": True,
        "network": True,
        "debugging": True,
        "memory": False,
        "extensions": False,
        "pwa": False,
        "third-party": False,
        "webmcp": False,
    }
)


def is_category_on(category: str, chosen: Mapping[str, bool]) -> bool:
    """Whether a category's tools are served, given what the user switched (`Options.categories`)."""
    return chosen.get(category, CATEGORIES[category])


def category_flag(category: str) -> str:
    """The flag that switches a category on: ``--category-webmcp``."""
    return f"--category-{category}"
