"""What actions and navigations report, with this library's objects in it."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from pagelens.api.dialog import Dialog
from pagelens.api.download import Download
from pagelens.browser.effect import Effect as EngineEffect
from pagelens.browser.navigation import NavigationResult as EngineResult

if TYPE_CHECKING:
    from pagelens.api.page import Page

__all__ = ["Effect", "NavigationResult", "effect_of", "result_of"]


@dataclass(eq=False)
class Effect(EngineEffect):
    """What an action did to its page, as far as it could be seen: what the tools' replies are made of.

    Attributes:
        new_pages: pages that the page opened meanwhile.
        dialog: the last dialog that opened; its `outcome` says whether it has been answered.
        downloads: files that began to download.
    """

    new_pages: list[Page] = field(default_factory=list)  # type: ignore[assignment]
    dialog: Dialog | None = None  # type: ignore[assignment]
    downloads: list[Download] = field(default_factory=list)  # type: ignore[assignment]


@dataclass
class NavigationResult(EngineResult):
    """How a navigation went; those that failed raise `NavigationFailed` instead.

    Attributes:
        dialog, download: set for those outcomes.
        new_pages: pages opened meanwhile.
    """

    dialog: Dialog | None = None  # type: ignore[assignment]
    download: Download | None = None  # type: ignore[assignment]
    new_pages: list[Page] = field(default_factory=list)  # type: ignore[assignment]


def effect_of(page: Page, effect: EngineEffect) -> Effect:
    """The same report for the library's users."""
    return Effect(
        **_others(effect, "new_pages", "dialog", "downloads"),
        new_pages=page.browser._pages_of(effect.new_pages),
        dialog=Dialog(page, effect.dialog) if effect.dialog else None,
        downloads=[Download(page, download) for download in effect.downloads],
    )


def result_of(page: Page, result: EngineResult) -> NavigationResult:
    """The same report for the library's users."""
    return NavigationResult(
        **_others(result, "new_pages", "dialog", "download"),
        new_pages=page.browser._pages_of(result.new_pages),
        dialog=Dialog(page, result.dialog) if result.dialog else None,
        download=Download(page, result.download) if result.download else None,
    )


def _others(report: EngineEffect | EngineResult, *without: str) -> dict[str, Any]:
    return {f.name: getattr(report, f.name) for f in fields(report) if f.name not in without}
