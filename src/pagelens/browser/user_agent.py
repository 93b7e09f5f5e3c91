"""What goes with a user agent: the client hints and ``navigator.platform`` of the browser that it names.

Chrome empties ``navigator.userAgentData`` and sends no ``Sec-CH-UA`` headers when a user agent is set without them.
That is right for a browser that has no client hints (Firefox, Safari, all on iOS). For every other text they are made
here, as the browser of that name makes them, so that scripts and servers are told one thing.

Chrome's list of brands holds an invented one, so that nobody relies on its form; what it is follows from the version
(`GREASE in UA-CH <https://wicg.github.io/ua-client-hints/#grease>`_, Chromium's ``user_agent_utils``).
"""

from __future__ import annotations

import json
import re
from typing import Any

__all__ = ["hint_headers", "override_for"]

_CHROMIUM = re.compile(r"\b(?:Headless)?Chrom(?:e|ium)/(\d{1,6})((?:\.\d{1,6}){0,3})")
#: Browsers without client hints: other engines, and whatever runs on iOS. Android's WebView has Chrome/ in it, too.
_WITHOUT_HINTS = re.compile(r"\b(?:Firefox|FxiOS|CriOS|EdgiOS|OPiOS|Trident|MSIE)\b|\bVersion/\S+ .*\bSafari/")
#: Browsers built on Chromium, by their token in the user agent; Chrome itself when there is none.
_BRANDS = (
    (re.compile(r"\bEdgA?/(\d{1,6})"), "Microsoft Edge"),
    (re.compile(r"\bOPR/(\d{1,6})"), "Opera"),
    (re.compile(r"\bSamsungBrowser/(\d{1,6})"), "Samsung Internet"),
)
_ANDROID = re.compile(r"\bAndroid (\d[\d.]*)(?:; ([^;)]+))?")
_MAC = re.compile(r"\bMac OS X (\d+(?:[._]\d+)*)")
_WINDOWS = re.compile(r"\bWindows NT (\d+\.\d+)")
_INVENTED = " (:-./);=?_"
_INVENTED_VERSIONS = ("8", "99", "24")
_ORDERS = ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0))


def override_for(user_agent: str, product: str) -> dict[str, Any]:
    """Parameters of ``Emulation.setUserAgentOverride``.

    Args:
        product: the browser that runs, e.g. ``Chrome/156.0.8078.108``: what a text that names no browser is taken for.
    """
    params: dict[str, Any] = {"userAgent": user_agent}
    if platform := _script_platform(user_agent):
        params["platform"] = platform
    if _CHROMIUM.search(user_agent) or not _WITHOUT_HINTS.search(user_agent):
        params["userAgentMetadata"] = _hints(user_agent, product)
    return params


def hint_headers(override: dict[str, Any]) -> dict[str, str]:
    """The client hints that go with every request, for parameters that `override_for` made; none without hints."""
    hints = override.get("userAgentMetadata")
    if hints is None:
        return {}
    return {
        "Sec-CH-UA": ", ".join(f'{json.dumps(entry["brand"])};v="{entry["version"]}"' for entry in hints["brands"]),
        "Sec-CH-UA-Mobile": "?1" if hints["mobile"] else "?0",
        "Sec-CH-UA-Platform": json.dumps(hints["platform"]),
    }


def _hints(user_agent: str, product: str) -> dict[str, Any]:
    named = _CHROMIUM.search(user_agent)
    version = named or _CHROMIUM.search(product)
    major, rest = (version[1], version[2]) if version else ("1", "")
    brands = [("Chromium", major, f"{major}{rest}")]
    if named:
        brands.append(_brand(user_agent, major, f"{major}{rest}"))
    brands = _greased(brands, int(major))
    platform, platform_version, model = _platform(user_agent)
    mobile = "Mobile" in user_agent
    is_desktop = platform not in ("Android", "iOS")
    return {
        "brands": [{"brand": name, "version": short} for name, short, _ in brands],
        "fullVersionList": [{"brand": name, "version": full} for name, _, full in brands],
        "platform": platform,
        "platformVersion": platform_version,
        "architecture": "x86" if is_desktop else "",
        "bitness": "64" if is_desktop else "",
        "model": model,
        "mobile": mobile,
        "wow64": False,
        "formFactors": ["Desktop"] if is_desktop else ["Mobile"] if mobile else ["Tablet"],
    }


def _brand(user_agent: str, major: str, full: str) -> tuple[str, str, str]:
    for token, name in _BRANDS:
        if found := token.search(user_agent):
            return name, found[1], found[1] + ".0.0.0"
    return "Google Chrome", major, full


def _greased(brands: list[tuple[str, str, str]], seed: int) -> list[tuple[str, str, str]]:
    """The list with the invented brand of this version, in its order."""
    count = len(_INVENTED)
    number = _INVENTED_VERSIONS[seed % len(_INVENTED_VERSIONS)]
    name = f"Not{_INVENTED[seed % count]}A{_INVENTED[(seed + 1) % count]}Brand"
    listed = [(name, number, f"{number}.0.0.0"), *brands]
    order: tuple[int, ...] = (seed % 2, 1 - seed % 2) if len(listed) == 2 else _ORDERS[seed % len(_ORDERS)]
    placed = list(listed)
    for entry, place in zip(listed, order, strict=True):
        placed[place] = entry
    return placed


def _platform(user_agent: str) -> tuple[str, str, str]:
    """Name and version of the operating system, and the model of the device, as client hints have them."""
    if found := _ANDROID.search(user_agent):
        # "K" stands for every device since user agents were reduced.
        model = (found[2] or "").partition(" Build/")[0].strip()
        return "Android", _three(found[1]), "" if model in ("K", "wv", "Mobile", "Tablet") else model
    if found := _WINDOWS.search(user_agent):
        return "Windows", "10.0.0" if found[1] == "10.0" else "0.3.0", ""
    if found := _MAC.search(user_agent):
        return "macOS", _three(found[1].replace("_", ".")), ""
    if "CrOS" in user_agent:
        return "Chrome OS", "", ""
    return "Linux", "", ""


def _three(version: str) -> str:
    return ".".join([*version.split("."), "0", "0"][:3])


def _script_platform(user_agent: str) -> str:
    """``navigator.platform``; empty when the user agent says nothing of it."""
    for words, platform in (
        ("iPhone", "iPhone"),
        ("iPad", "iPad"),
        ("Android", "Linux armv8l"),
        ("Windows", "Win32"),
        ("Macintosh", "MacIntel"),
        ("Linux", "Linux x86_64"),
        ("CrOS", "Linux x86_64"),
    ):
        if words in user_agent:
            return platform
    return ""
