"""The command line that Chrome gets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pagelens.browser.arguments import Arguments, build_arguments, has_display, merge_lists
from pagelens.core.options import Options
from pagelens.errors import InvalidInput

DISPLAY = {"DISPLAY": ":0"}


def build(
    environ: dict[str, str] | None = None, root: bool = False, platform: str = "linux", **options: Any
) -> Arguments:
    return build_arguments(
        Options(**options),
        Path("/profile"),
        environ=DISPLAY if environ is None else environ,
        platform=platform,
        root=root,
    )


def features(arguments: Arguments, switch: str) -> list[str]:
    found = [text for text in arguments.switches if text.startswith(switch + "=")]
    assert len(found) <= 1, "Chrome obeys only the last one"
    return found[0].partition("=")[2].split(",") if found else []


def test_the_pipe_the_profile_and_a_first_page_that_loads_nothing() -> None:
    switches = build().switches
    assert switches[:2] == ("--remote-debugging-pipe", "--user-data-dir=/profile")
    assert switches[-1] == "about:blank"
    assert not any(switch.startswith("--remote-debugging-port") for switch in switches)


def test_no_display_means_headless_and_is_noted() -> None:
    with_display, without = build(), build({})
    assert not with_display.headless
    assert not with_display.notes
    assert "--headless" not in with_display.switches
    assert without.headless
    assert "--headless" in without.switches
    assert len(without.notes) == 1
    assert "no display" in without.notes[0]
    assert has_display({"WAYLAND_DISPLAY": "wayland-0"}, "linux")
    assert has_display({}, "darwin")


def test_what_the_user_says_about_headless_is_not_noted() -> None:
    assert build(headless=True).headless
    assert not build({}, headless=False).headless
    by_switch = build({}, chrome_args=("--headless=new",))
    assert by_switch.headless
    assert [switch for switch in by_switch.switches if switch.startswith("--headless")] == ["--headless=new"]
    assert not by_switch.notes
    with pytest.raises(InvalidInput, match="contradict"):
        build(headless=False, chrome_args=("--headless",))


def test_only_root_on_linux_has_no_sandbox() -> None:
    assert "--no-sandbox" not in build().switches
    assert "--no-sandbox" not in build(platform="darwin", root=True).switches
    as_root = build(root=True)
    assert "--no-sandbox" in as_root.switches
    assert any("sandbox" in note for note in as_root.notes)
    asked = build(root=True, chrome_args=("--no-sandbox",))
    assert asked.switches.count("--no-sandbox") == 1
    assert not asked.notes
    refused = build(root=True, ignore_default_chrome_args=("--no-sandbox",))
    assert "--no-sandbox" not in refused.switches
    assert not refused.notes


def test_feature_lists_are_merged_into_one_switch_each() -> None:
    arguments = build(
        chrome_args=("--enable-features=A,B", "--disable-features=C", "--enable-features=B,D", "--disable-features=E")
    )
    assert features(arguments, "--enable-features") == ["A", "B", "D"]
    disabled = features(arguments, "--disable-features")
    assert disabled[-2:] == ["C", "E"]
    assert {"WebUIOmniboxPopup", "WebUIOmniboxAimPopup"} <= set(disabled)


def test_a_feature_that_the_user_switches_on_is_no_longer_switched_off() -> None:
    arguments = build(chrome_args=("--enable-features=Translate<Trial:x/1,New",))
    assert features(arguments, "--enable-features") == ["Translate<Trial:x/1", "New"]
    assert "Translate" not in features(arguments, "--disable-features")


def test_merging_keeps_the_order_of_everything_else() -> None:
    merged = merge_lists(["--a", "--disable-features=X", "--b"], ["--c=1", "--disable-features=Y"])
    assert merged == ["--a", "--b", "--c=1", "--disable-features=X,Y"]


def test_a_default_can_be_left_out_by_name_with_or_without_dashes_or_value() -> None:
    for spelled in ("--password-store", "password-store", "--password-store=basic"):
        switches = build(ignore_default_chrome_args=(spelled,)).switches
        assert not any(switch.startswith("--password-store") for switch in switches)
    assert not features(build(ignore_default_chrome_args=("--disable-features",)), "--disable-features")


def test_the_users_switch_replaces_ours_of_the_same_name() -> None:
    switches = build(chrome_args=("--password-store=gnome",)).switches
    assert [switch for switch in switches if switch.startswith("--password-store")] == ["--password-store=gnome"]


def test_a_page_among_the_users_arguments_takes_the_place_of_ours() -> None:
    switches = build(chrome_args=("chrome://gpu",)).switches
    assert switches[-1] == "chrome://gpu"
    assert "about:blank" not in switches


def test_proxy_and_certificates() -> None:
    switches = build(proxy_server="socks5://127.0.0.1:1", accept_insecure_certs=True).switches
    assert "--proxy-server=socks5://127.0.0.1:1" in switches
    assert "--ignore-certificate-errors" in switches
    with pytest.raises(InvalidInput, match="proxy"):
        build(proxy_server="a", chrome_args=("--proxy-server=b",))


@pytest.mark.parametrize("switch", ["--user-data-dir=/x", "--remote-debugging-pipe", "--remote-debugging-pipe=cbor"])
def test_switches_that_would_cut_us_off_are_refused(switch: str) -> None:
    with pytest.raises(InvalidInput, match=switch.split("=")[0]):
        build(chrome_args=(switch,))
    with pytest.raises(InvalidInput, match="no way to reach"):
        build(ignore_default_chrome_args=(switch,))


def test_a_window_size_only_where_it_is_wanted() -> None:
    assert not any(switch.startswith("--window-size") for switch in build().switches)
    assert any(switch.startswith("--window-size=1280,") for switch in build({}).switches)
    wide = build({}, viewport=(2500, 1400)).switches
    assert any(switch.startswith("--window-size=2500,") for switch in wide)
    assert any(switch.startswith("--screen-info={2500x") for switch in wide)


def test_tools_of_pages_are_switched_on_with_their_category() -> None:
    on = {"webmcp": True}
    assert "WebMCP" not in features(build(), "--enable-features")
    assert features(build(categories=on), "--enable-features") == ["WebMCP"]
    merged = build(categories=on, chrome_args=("--enable-features=Other", "--disable-features=Third"))
    assert features(merged, "--enable-features") == ["WebMCP", "Other"]
    assert features(build(categories=on, chrome_args=("--disable-features=WebMCP",)), "--enable-features") == []
    assert features(build(categories={"webmcp": False}), "--enable-features") == []
