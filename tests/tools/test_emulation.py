"""emulate and resize_page."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from pagelens.browser.emulated import NOTHING
from pagelens.core.options import Options
from pagelens.errors import InvalidInput
from pagelens.tools.arguments import parse_arguments
from pagelens.tools.emulation import emulate
from tests.support.site import Site
from tests.tools.conftest import Agent

AGENT = "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/130.0.0.0 Mobile Safari/537.36"
SEES = """() => ({width: innerWidth, ratio: devicePixelRatio, agent: navigator.userAgent,
  dark: matchMedia('(prefers-color-scheme: dark)').matches, forced: matchMedia('(forced-colors: active)').matches,
  contrast: matchMedia('(prefers-contrast: less)').matches, still: matchMedia('(prefers-reduced-motion)').matches,
  touch: matchMedia('(pointer: coarse)').matches, online: navigator.onLine})"""


async def sees(agent: Agent) -> dict[str, Any]:
    """What the page's script finds."""
    reply = await agent.call("evaluate_script", function=SEES)
    found: dict[str, Any] = json.loads(reply.structured["result"])
    return found


def state(text: str) -> str:
    """The line about what is emulated; empty when there is none."""
    return next((line for line in text.splitlines() if line.startswith("Emulating: ")), "")


def parsed(**arguments: Any) -> dict[str, Any]:
    """What the arguments are to change."""
    params = parse_arguments("emulate", emulate.arguments(Options()), arguments)
    changes: dict[str, Any] = params.changes()  # type: ignore[attr-defined]
    return changes


async def test_everything_at_once_and_reset_again(agent: Agent, site: Site) -> None:
    await agent.ok("navigate_page", url=site.url("/blank"))
    reply = await agent.call(
        "emulate",
        networkConditions="Offline",
        cpuThrottlingRate=2,
        geolocation="52.52,13.405",
        userAgent=AGENT,
        colorScheme="dark",
        forcedColors="active",
        prefersContrast="less",
        prefersReducedMotion="reduce",
        viewport="390x844x3,mobile,touch",
        extraHttpHeaders='{"X-One": "s3cret", "Authorization": "Bearer s3cret"}',
    )
    assert not reply.is_error, reply.text
    assert state(reply.text) == (
        "Emulating: network Offline, CPU 2x slower, geolocation 52.52,13.405, viewport 390x844x3,mobile,touch, "
        f'user agent "{AGENT}", colorScheme dark, forcedColors active, prefersContrast less, '
        "prefersReducedMotion reduce, extra headers X-One Authorization. Deadlines are longer: 30 s for a navigation, "
        "35 s for a call."
    )
    assert "s3cret" not in reply.text + json.dumps(reply.structured)
    assert {key: value for key, value in reply.structured.items() if key != "message"} == {
        "networkConditions": "Offline",
        "cpuThrottlingRate": 2,
        "geolocation": {"latitude": 52.52, "longitude": 13.405},
        "userAgent": AGENT,
        "colorScheme": "dark",
        "forcedColors": "active",
        "prefersContrast": "less",
        "prefersReducedMotion": "reduce",
        "viewport": {
            "width": 390,
            "height": 844,
            "deviceScaleFactor": 3,
            "isMobile": True,
            "hasTouch": True,
            "isLandscape": False,
        },
        "extraHttpHeaders": ["X-One", "Authorization"],
        "deadlines": {"navigation": 30, "tool": 35},
    }
    assert await sees(agent) == {
        "width": 980,  # of a page for desktops, on a telephone
        "ratio": 3,
        "agent": AGENT,
        "dark": True,
        "forced": True,
        "contrast": True,
        "still": True,
        "touch": True,
        "online": False,
    }
    assert state(await agent.ok("list_console_messages")), "it is shown unasked"

    reply = await agent.call(
        "emulate",
        networkConditions="No throttling",
        cpuThrottlingRate=1,
        geolocation="",
        userAgent="",
        colorScheme="auto",
        forcedColors="auto",
        prefersContrast="auto",
        prefersReducedMotion="auto",
        viewport="",
        extraHttpHeaders="",
    )
    assert reply.text.splitlines()[-1] == "Nothing is emulated any more."
    assert reply.structured.keys() == {"message"}
    found = await sees(agent)
    assert (found["width"], found["ratio"], found["online"]) == (1280, 1, True)
    assert not any(found[name] for name in ("dark", "forced", "contrast", "still", "touch"))
    assert found["agent"] != AGENT
    assert agent.context.selected_page().emulation.settings == NOTHING


async def test_one_setting_does_not_reset_another(agent: Agent, site: Site) -> None:
    """Field report 90."""
    await agent.ok("emulate", viewport="390x844x3,mobile")
    await agent.ok("emulate", colorScheme="dark")
    text = await agent.ok("navigate_page", url=site.page("<meta name=viewport content='width=device-width'>"))
    assert state(text) == "Emulating: viewport 390x844x3,mobile, colorScheme dark."
    found = await sees(agent)
    assert (found["width"], found["ratio"], found["dark"]) == (390, 3, True)


async def test_a_popup_has_it_from_its_first_request_on(agent: Agent, site: Site) -> None:
    """Field report 91."""
    site.page("<meta name=viewport content='width=device-width'>", path="/tool/popup")
    await agent.ok("emulate", viewport="390x844x3,mobile", userAgent=AGENT, extraHttpHeaders='{"X-One": "1"}')
    await agent.ok("navigate_page", url=site.page("<button onclick=\"window.open('/tool/popup')\">Open</button>"))
    await agent.ok("click", uid="css=button")
    request = await site.requested("/tool/popup")
    assert (request.headers["user-agent"], request.headers["x-one"]) == (AGENT, "1")
    popup = max(page.id for page in agent.context.pages())
    reply = await agent.call("evaluate_script", function=SEES, pageId=popup)
    found = json.loads(reply.structured["result"])
    assert (found["width"], found["ratio"], found["agent"]) == (390, 3, AGENT)
    assert state(reply.text).startswith("Emulating: viewport 390x844x3,mobile, user agent ")


async def test_it_belongs_to_the_page_whoever_uses_it(agent: Agent) -> None:
    from pagelens.context.mcp_context import McpContext

    other = McpContext(agent.context.host, agent.context.options)
    page = agent.context.selected_page()
    await Agent(other).ok("emulate", pageId=page.id, colorScheme="light")
    assert state(await agent.ok("emulate", forcedColors="none")) == "Emulating: colorScheme light, forcedColors none."
    other.close()


async def test_nothing_named_changes_nothing(agent: Agent) -> None:
    await agent.ok("emulate", colorScheme="dark")
    assert await agent.ok("emulate") == "Nothing was named, so nothing has changed.\nEmulating: colorScheme dark."


async def test_what_a_page_needs_a_reload_for_is_said(agent: Agent, site: Site) -> None:
    assert "reload" not in await agent.ok("emulate", viewport="390x844x1,touch")
    await agent.ok("navigate_page", url=site.url("/blank"))
    assert (await agent.ok("emulate", userAgent="Bot/1", viewport="500x500x1")).startswith(
        "What is open was loaded before: reload the page if it should know of the touch screen and the user agent.\n"
    )
    assert "reload" not in await agent.ok("emulate", colorScheme="dark")


@pytest.mark.parametrize(
    ("arguments", "changes"),
    [
        ({"geolocation": "-33.45,-70.66"}, {"geolocation": "-33.45,-70.66"}),
        ({"geolocation": " 48.85x2.35 "}, {"geolocation": "48.85,2.35"}),
        ({"geolocation": "90, -180"}, {"geolocation": "90,-180"}),
        ({"geolocation": ""}, {"geolocation": None}),
        ({"viewport": "1280x720"}, {"viewport": "1280x720x1"}),
        ({"viewport": "1280x720x1.5"}, {"viewport": "1280x720x1.5"}),
        ({"viewport": "844x390x2,landscape,touch,mobile"}, {"viewport": "844x390x2,mobile,touch,landscape"}),
        ({"viewport": "390X844x3, Mobile"}, {"viewport": "390x844x3,mobile"}),
        ({"viewport": " "}, {"viewport": None}),
        ({"cpuThrottlingRate": "4"}, {"cpu_throttling_rate": 4.0}),
        ({"networkConditions": "No throttling"}, {"network": None}),
        ({"colorScheme": "auto", "forcedColors": "none"}, {"color_scheme": None, "forced_colors": "none"}),
        ({"extraHttpHeaders": {"X-A": "1"}}, {"headers": {"X-A": "1"}}),
        ({"extraHttpHeaders": '{"X-A": 1.5}'}, {"headers": {"X-A": "1.5"}}),
        ({"extraHttpHeaders": "{}"}, {"headers": {}}),
        ({"extraHttpHeaders": ""}, {"headers": None}),
        ({"userAgent": ""}, {"user_agent": None}),
        ({}, {}),
    ],
)
def test_what_arguments_mean(arguments: dict[str, Any], changes: dict[str, Any]) -> None:
    found = parsed(**arguments)
    assert found.keys() == changes.keys()
    for name, value in changes.items():
        actual = found[name]
        if isinstance(value, str) and name in ("viewport", "geolocation"):
            actual = str(actual)
        assert (dict(actual) if isinstance(actual, Mapping) else actual) == value


VIEWPORT = "viewport is <width>x<height>x<devicePixelRatio>[,mobile][,touch][,landscape], such as 1280x720x1 or "
PLACE = "geolocation is <latitude>,<longitude>, such as 52.52,13.405"
HEADERS = 'extraHttpHeaders is a JSON object of texts, such as {"X-Name": "value"}'


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"viewport": "big"}, VIEWPORT),
        ({"viewport": "390,844"}, VIEWPORT),
        ({"viewport": "390x"}, VIEWPORT),
        ({"viewport": "390x844x3,tablet"}, VIEWPORT),
        ({"viewport": "-390x844x1"}, VIEWPORT),
        ({"viewport": "3.5x844x1"}, VIEWPORT),
        ({"viewport": "0x844x1"}, "viewport: A viewport's width is a whole number from 1 to 10000, not 0"),
        ({"viewport": "99999x844x1"}, "viewport: A viewport's width is a whole number from 1 to 10000, not 99999"),
        ({"viewport": "390x844x99"}, "viewport: A device pixel ratio is a number from 0.1 to 10, not 99"),
        ({"geolocation": "Berlin"}, PLACE),
        ({"geolocation": "52.52"}, PLACE),
        ({"geolocation": "nan,0"}, PLACE),
        ({"geolocation": "1,2,3"}, PLACE),
        ({"geolocation": "91,0"}, "geolocation: A latitude is a number from -90 to 90, not 91"),
        ({"geolocation": "0,200"}, "geolocation: A longitude is a number from -180 to 180, not 200"),
        ({"userAgent": "Käfer"}, "userAgent: A user agent is a text of printable ASCII characters"),
        ({"userAgent": "a\nb"}, "userAgent: A user agent is a text of printable ASCII characters"),
        ({"userAgent": "a" * 2000}, "userAgent: A user agent has at most 1000 characters, not 2000"),
        ({"extraHttpHeaders": "X-A: s3cret"}, HEADERS),
        ({"extraHttpHeaders": '["s3cret"]'}, HEADERS),
        ({"extraHttpHeaders": '"s3cret"'}, HEADERS),
        ({"extraHttpHeaders": '{"X-A": "s3cret", "X-A": "s3cret"}'}, HEADERS),
        ({"extraHttpHeaders": '{"X-A": ["s3cret"]}'}, "extraHttpHeaders: The value of the header X-A is no text"),
        ({"extraHttpHeaders": '{"X-A": true}'}, "extraHttpHeaders: The value of the header X-A is no text"),
        ({"extraHttpHeaders": '{"X A": "s3cret"}'}, 'extraHttpHeaders: "X A" is no name of an HTTP header'),
        ({"extraHttpHeaders": '{"Host": "s3cret"}'}, "extraHttpHeaders: The header Host is Chrome's own"),
        ({"cpuThrottlingRate": 0}, "cpuThrottlingRate must be greater than or equal to 1, not 0"),
        ({"cpuThrottlingRate": 21}, "cpuThrottlingRate must be less than or equal to 20, not 21"),
        ({"cpuThrottlingRate": True}, "cpuThrottlingRate must be a number, not true"),
        ({"networkConditions": "5G"}, "networkConditions must be 'Offline', 'Slow 3G'"),
        ({"colorScheme": "blue"}, "colorScheme must be 'dark', 'light' or 'auto', not \"blue\""),
        ({"colourScheme": "dark"}, 'there is no "colourScheme" (did you mean colorScheme?)'),
    ],
)
def test_bad_arguments_are_named_and_change_nothing(arguments: dict[str, Any], said: str) -> None:
    """With all others right: nothing reaches the page, since the arguments are all read before it is touched."""
    with pytest.raises(InvalidInput) as caught:
        parsed(prefersContrast="more", **arguments)
    assert str(caught.value).startswith("emulate was not run, its arguments are wrong: ")
    assert said in str(caught.value)
    assert "s3cret" not in str(caught.value)


def test_all_that_is_wrong_is_said_at_once() -> None:
    with pytest.raises(InvalidInput) as caught:
        parsed(viewport="big", geolocation="here", userAgent="\x00", extraHttpHeaders="none")
    for parameter in (VIEWPORT, PLACE, "userAgent: ", HEADERS):
        assert parameter in str(caught.value)


async def test_a_page_that_is_throttled_gets_more_time_unless_a_timeout_is_given(
    agent: Agent, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server answers after a second; the usual time is half of that."""
    monkeypatch.setattr("pagelens.context.mcp_page.NAVIGATION", 0.5)
    slow = site.url("/slow", ms=1000)
    assert "did not answer within 0.5 s" in await agent.fails("navigate_page", "navigation_failed", url=slow)
    await agent.ok("emulate", cpuThrottlingRate=10)
    assert f"Navigated to {slow} (200)" in await agent.ok("navigate_page", url=slow)
    assert "within 0.5 s" in await agent.fails("navigate_page", "navigation_failed", url=slow, timeout=500)


async def test_resize_page(agent: Agent, site: Site) -> None:
    await agent.ok("navigate_page", url=site.url("/blank"))
    assert await agent.ok("resize_page", width=640, height=480) == "Resized the window: 640x480 CSS pixels inside."
    assert (await sees(agent))["width"] == 640


async def test_an_emulated_viewport_hides_the_window(agent: Agent, site: Site) -> None:
    await agent.ok("navigate_page", url=site.url("/blank"))
    await agent.ok("emulate", viewport="500x400x1")
    assert await agent.ok("resize_page", width=640, height=480) == (
        "Resized the window: 640x480 CSS pixels inside.\n"
        "The page does not see it: its emulated viewport, 500x400, wins until that is reset (emulate with an empty "
        "viewport).\n"
        "Emulating: viewport 500x400x1."
    )
    assert (await sees(agent))["width"] == 500
    await agent.ok("emulate", viewport="")
    assert (await sees(agent))["width"] == 640


async def test_a_size_that_can_t_be(agent: Agent) -> None:
    assert "from 1 to 10000" in await agent.fails("resize_page", "invalid_input", width=10**7, height=5)
