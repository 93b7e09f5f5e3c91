"""Page.emulate and Page.resize."""

from __future__ import annotations

from typing import Any

import pytest

import pagelens
from pagelens.errors import InvalidInput, PageClosed
from tests.support.site import Site


async def test_python_values_and_none_to_reset(page: pagelens.Page, site: Site) -> None:
    await page.goto(site.url("/blank"))
    notes = await page.emulate(
        network="Offline",
        cpu_throttling_rate=2,
        geolocation=(52.5, 13.4),
        user_agent="Bot/1.0",
        color_scheme="dark",
        forced_colors="active",
        prefers_contrast="more",
        prefers_reduced_motion="reduce",
        viewport=(500, 400),
        headers={"X-One": "1"},
    )
    assert notes == [
        "What is open was loaded before: reload the page if it should know of the user agent and the headers."
    ]
    assert page.emulated == pagelens.Emulated(
        network="Offline",
        cpu_throttling_rate=2,
        geolocation=pagelens.Geolocation(52.5, 13.4),
        user_agent="Bot/1.0",
        color_scheme="dark",
        forced_colors="active",
        prefers_contrast="more",
        prefers_reduced_motion="reduce",
        viewport=pagelens.Viewport(500, 400),
        headers={"X-One": "1"},
    )
    assert await page.evaluate("[innerWidth, navigator.userAgent, navigator.onLine]") == [500, "Bot/1.0", False]
    assert await page.emulate(network=None, viewport=pagelens.Viewport(700, 600, 2)) == []
    assert await page.evaluate("[innerWidth, devicePixelRatio, navigator.onLine]") == [700, 2, True]
    await page.emulate(
        cpu_throttling_rate=None,
        geolocation=None,
        user_agent=None,
        color_scheme=None,
        forced_colors=None,
        prefers_contrast=None,
        prefers_reduced_motion=None,
        viewport=None,
        headers=None,
    )
    assert page.emulated == pagelens.Emulated()


async def test_nothing_named_changes_nothing(page: pagelens.Page) -> None:
    await page.emulate(color_scheme="dark")
    assert await page.emulate() == []
    assert page.emulated == pagelens.Emulated(color_scheme="dark")


@pytest.mark.parametrize(
    "arguments",
    [
        {"network": "5G"},
        {"cpu_throttling_rate": 0},
        {"geolocation": (100, 0)},
        {"viewport": (0, 0)},
        {"user_agent": "a\nb"},
        {"color_scheme": "blue"},
        {"headers": {"a b": ""}},
    ],
)
async def test_values_that_can_t_be(page: pagelens.Page, arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        await page.emulate(forced_colors="active", **arguments)
    assert page.emulated == pagelens.Emulated()


async def test_resize(page: pagelens.Page, site: Site) -> None:
    await page.goto(site.url("/blank"))
    assert await page.resize(640, 480) == ""
    assert await page.evaluate("[innerWidth, innerHeight]") == [640, 480]
    await page.emulate(viewport=(300, 200))
    assert "wins until that is reset" in await page.resize(700, 500)
    with pytest.raises(InvalidInput):
        await page.resize(0, 5)


async def test_a_page_that_is_gone(page: pagelens.Page) -> None:
    await page.close()
    with pytest.raises(PageClosed):
        await page.emulate(color_scheme="dark")
    with pytest.raises(PageClosed):
        await page.resize(500, 500)
