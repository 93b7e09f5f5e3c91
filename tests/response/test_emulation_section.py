"""What is emulated, in one line."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from pagelens.browser.emulated import Emulated, Geolocation, Viewport
from pagelens.context.mcp_context import McpContext
from pagelens.response.order import Order
from pagelens.response.output import Output
from pagelens.response.sections.emulation import EmulationSection


async def shown(
    settings: Emulated, *, window: tuple[int, int] | None = None, has_progress: bool = False
) -> tuple[str, dict[str, Any]]:
    """Text and JSON of the section."""
    state = SimpleNamespace(settings=settings, window=window, patience=settings.patience)
    order = Order(page=cast("Any", SimpleNamespace(emulation=state)), has_progress=has_progress)
    section, out = EmulationSection(), Output()
    assert section.wanted(order)
    await section.compute(order, cast("McpContext", None))
    section.render(out)
    return out.text, out.json


async def test_nothing_is_said_of_nothing() -> None:
    assert await shown(Emulated()) == ("", {})
    assert not EmulationSection().wanted(Order())


@pytest.mark.parametrize(
    ("settings", "words", "json"),
    [
        (Emulated(network="Fast 4G"), "network Fast 4G", {"networkConditions": "Fast 4G"}),
        (Emulated(network="Offline"), "network Offline", {"networkConditions": "Offline"}),
        (
            Emulated(geolocation=Geolocation(-33.5, 0)),
            "geolocation -33.5,0",
            {"geolocation": {"latitude": -33.5, "longitude": 0}},
        ),
        (Emulated(user_agent='Bot "1"'), 'user agent "Bot \\"1\\""', {"userAgent": 'Bot "1"'}),
        (Emulated(color_scheme="light"), "colorScheme light", {"colorScheme": "light"}),
        (Emulated(forced_colors="none"), "forcedColors none", {"forcedColors": "none"}),
        (Emulated(prefers_contrast="custom"), "prefersContrast custom", {"prefersContrast": "custom"}),
        (
            Emulated(prefers_reduced_motion="no-preference"),
            "prefersReducedMotion no-preference",
            {"prefersReducedMotion": "no-preference"},
        ),
        (
            Emulated(viewport=Viewport(844, 390, 2.5, mobile=True, landscape=True)),
            "viewport 844x390x2.5,mobile,landscape",
            {
                "viewport": {
                    "width": 844,
                    "height": 390,
                    "deviceScaleFactor": 2.5,
                    "isMobile": True,
                    "hasTouch": False,
                    "isLandscape": True,
                }
            },
        ),
        (Emulated(headers={"X-A": "s3cret"}), "extra headers X-A", {"extraHttpHeaders": ["X-A"]}),
    ],
)
async def test_each_setting(settings: Emulated, words: str, json: dict[str, Any]) -> None:
    assert await shown(settings) == (f"Emulating: {words}.", json)


async def test_deadlines_are_told_when_they_are_longer() -> None:
    text, json = await shown(Emulated(cpu_throttling_rate=2.5, network="Slow 3G"))
    assert text == (
        "Emulating: network Slow 3G, CPU 2.5x slower. Deadlines are longer: 30 s for a navigation, 35 s for a call."
    )
    assert json["deadlines"] == {"navigation": 30, "tool": 35}
    text, json = await shown(Emulated(network="Slow 4G"), has_progress=True)
    assert text == "Emulating: network Slow 4G. Deadlines are longer: 30 s for a navigation, 60 s for a call."


async def test_the_window_is_in_the_json_as_a_viewport() -> None:
    assert await shown(Emulated(), window=(800, 600)) == (
        "",
        {"viewport": {"width": 800, "height": 600}},
    )


async def test_what_is_long_is_cut() -> None:
    text, json = await shown(Emulated(user_agent="a" * 900, headers={f"X-{number}": "s3cret" for number in range(30)}))
    assert len(text) < 450
    assert text.endswith(" X-18 X-19 and 10 more.")
    assert len(json["extraHttpHeaders"]) == 30
    assert "s3cret" not in text + str(json)
