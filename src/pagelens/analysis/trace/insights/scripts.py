"""Whose scripts a page runs, what is in them twice, and what is in them for browsers of long ago."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from pagelens.analysis.source_maps import SourceMap
from pagelens.analysis.trace.insights.base import Insight, View, host_of, rounded, site_of
from pagelens.analysis.trace.network import Request

__all__ = ["Script", "duplicated_javascript", "find_scripts", "legacy_javascript", "third_parties"]

#: A module that takes less is no matter: bytes, and the part of the largest copy.
LEAST_MODULE, LEAST_PART = 512, 0.1
#: A script, and a waste in one, that is looked at. Bytes.
LEAST_SCRIPT = LEAST_LEGACY = 5_000
#: What polyfills take, in bytes: what they share, each of the first few, each further one, which shares more of its
#: own with others; and each transformed construct. Rounded from what DevTools counts for them.
_SHARED, _EACH, _FEW, _FURTHER, _TRANSFORM = 26_000, 2_700, 8, 1_100, 150

#: Methods that every browser of the last years has, as far as DevTools looks for them.
_METHODS = {
    "Array.prototype": "at concat copyWithin every fill filter find findIndex findLast findLastIndex flat flatMap "
    "forEach indexOf join map slice some sort toReversed toSorted toSpliced unshift",
    "String.prototype": "codePointAt endsWith includes isWellFormed link matchAll repeat replaceAll startsWith substr "
    "toWellFormed trim trimEnd trimStart",
    "Object": "assign create entries freeze fromEntries getOwnPropertyDescriptor getOwnPropertyDescriptors "
    "getPrototypeOf hasOwn is isExtensible isFrozen isSealed keys preventExtensions seal setPrototypeOf values",
    "Array": "from isArray of",
    "String": "fromCodePoint raw",
    "Promise": "allSettled any withResolvers",
    "Reflect": "apply construct deleteProperty get getOwnPropertyDescriptor getPrototypeOf has isExtensible ownKeys "
    "preventExtensions setPrototypeOf",
    "Math": "acosh asinh atanh cbrt clz32 cosh expm1 fround hypot imul log10 log1p log2 sign sinh tanh trunc",
}
_OBJECTS = "|".join(re.escape(name) for name in sorted(_METHODS, key=len, reverse=True))
#: The ways to define a method: ``Array.prototype.flat = …``, ``Object.defineProperty(…)``, and those of core-js.
_ASSIGNED = re.compile(
    rf"""(?<![\w.$])(?:(?:window|self|global|globalThis)\.)?({_OBJECTS})(?:\.(\w+)|\[["'](\w+)["']\])\s*=(?![=>])"""
)
_DEFINED = re.compile(rf"""Object\.defineProperty\(\s*({_OBJECTS})\s*,\s*["'](\w+)["']""")
_CORE_JS = re.compile(
    r"""target:\s*["'](\w+)["'],\s*(proto|stat):\s*(?:!0|true)[^{}]{0,200}\}\s*,\s*\{\s*["']?(\w+)["']?\s*:"""
)
_TRANSFORMS = {
    "classes": re.compile(r"Cannot call a class as a function"),
    "regenerator": re.compile(r"regeneratorRuntime|Generator is already running"),
    "spread": re.compile(r"\.apply\(void 0,\s*_toConsumableArray|Invalid attempt to spread non-iterable"),
}


@dataclass(frozen=True, slots=True)
class Script:
    """A script whose text the trace holds."""

    url: str
    text: str
    request: Request | None


def find_scripts(view: View) -> list[Script]:
    """The scripts of the span; none when the recording was made without their texts."""
    pids = view.frames.processes.get(view.frames.main, set())
    texts: dict[tuple[int, str, int], tuple[str, dict[int, str]]] = {}
    for event in view.recording.of("ScriptCatchup", "LargeScriptCatchup"):
        data = event.args.data
        if data is None or event.pid not in pids or not view.has(event):
            continue
        url, parts = texts.setdefault((event.pid, str(data.isolate), data.scriptId), (data.url, {}))
        if data.sourceText:
            parts[data.splitIndex] = data.sourceText  # large ones come in parts, and all may come twice
        if data.url and not url:
            texts[event.pid, str(data.isolate), data.scriptId] = (data.url, parts)
    by_url = {request.url: request for request in view.requests if request.type == "Script"}
    return [
        Script(url, "".join(parts[at] for at in sorted(parts)), by_url.get(url))
        for url, parts in texts.values()
        if url and parts
    ]


def third_parties(view: View) -> Insight:
    document = view.document.url if view.document else view.navigation.url if view.navigation else view.frames.url
    first = site_of(document)
    sizes: dict[str, float] = {}
    times: dict[str, float] = {}
    for request in view.requests:
        site = site_of(request.url)
        if site:
            sizes[site] = sizes.get(site, 0.0) + request.encoded
    for script in view.totals.urls() if view.totals is not None else ():
        site = site_of(script.url)
        if site and script.url.startswith(("http:", "https:")):
            times[site] = times.get(site, 0.0) + script.own_ms
    rows = [
        {
            "name": site,
            "firstParty": site == first,
            "transferBytes": sizes.get(site, 0.0),
            "mainThreadMs": times.get(site, 0.0),
        }
        for site in sorted({*sizes, *times}, key=lambda site: (-times.get(site, 0.0), -sizes.get(site, 0.0), site))
    ]
    others = any(site != first for site in {*sizes, *times})
    return Insight("ThirdParties", "informative" if others else "pass", {"firstParty": first, "parties": rows})


def legacy_javascript(view: View) -> Insight:
    rows, wasted = [], 0.0
    for script in find_scripts(view):
        size = len(script.text.encode("utf-8", "replace"))
        if size < LEAST_SCRIPT or host_of(script.url) == "":
            continue
        matches = _polyfills(script.text)
        transforms = {
            name: len(found) for name, pattern in _TRANSFORMS.items() if (found := pattern.findall(script.text))
        }
        waste: float = _TRANSFORM * sum(transforms.values())
        if matches:
            waste += _SHARED + _EACH * min(len(matches), _FEW) + _FURTHER * max(len(matches) - _FEW, 0)
        waste = min(waste, size)
        if waste < LEAST_LEGACY:
            continue
        sent = waste * _ratio(script)
        wasted += sent
        rows.append(
            {"url": script.url, "wastedBytes": rounded(sent), "polyfills": sorted(matches), "transforms": transforms}
        )
    return Insight(
        "LegacyJavaScript", "fail" if rows else "pass", {"scripts": rows}, wasted_bytes=wasted, basis="estimate"
    )


def _polyfills(text: str) -> set[str]:
    """The methods that a script defines."""
    found = [(match[1], match[2] or match[3]) for match in _ASSIGNED.finditer(text)]
    found += [(match[1], match[2]) for match in _DEFINED.finditer(text)]
    for match in _CORE_JS.finditer(text):
        found.append((f"{match[1]}.prototype" if match[2] == "proto" else match[1], match[3]))
    return {f"{owner}.{name}" for owner, name in found if name in _METHODS.get(owner, "").split()}


def _ratio(script: Script) -> float:
    """The part of a script's size that goes over the network."""
    request = script.request
    return min(request.encoded / request.decoded, 1) if request and request.encoded and request.decoded > 0 else 1


def duplicated_javascript(view: View, maps: Mapping[str, SourceMap]) -> Insight:
    """Modules in more than one script, or several times in one; scripts without a source map can't be looked into."""
    copies: dict[str, list[tuple[str, float]]] = {}
    mapped = 0
    for script in find_scripts(view):
        source_map = maps.get(script.url)
        if source_map is None:
            continue
        mapped += 1
        sizes: dict[str, float] = {}
        for source, characters in source_map.sizes(script.text).items():
            if name := _module(source):
                sizes[name] = sizes.get(name, 0.0) + characters * _ratio(script)
        for name, size in sizes.items():
            copies.setdefault(name, []).append((script.url, size))
    rows, wasted = [], 0.0
    for name, found in copies.items():
        largest = max(size for _, size in found)
        kept = sorted(
            (one for one in found if one[1] >= max(LEAST_MODULE, LEAST_PART * largest)), key=lambda one: -one[1]
        )
        if len(kept) < 2:
            continue
        waste = sum(size for _, size in kept[1:])
        wasted += waste
        rows.append({"module": name, "wastedBytes": rounded(waste), "scripts": [url for url, _ in kept]})
    rows.sort(key=lambda row: -int(str(row["wastedBytes"])))
    figures = {"mappedScripts": mapped, "modules": rows}
    state = "fail" if rows else "pass"
    if state == "fail":
        return Insight("DuplicatedJavaScript", "fail", figures, wasted_bytes=wasted, basis="estimate")
    return Insight("DuplicatedJavaScript", "pass", figures, wasted_bytes=0, basis="estimate")


def _module(source: str) -> str:
    """The name under which copies of a module are recognised, without the bundler's prefix and the packages' folder."""
    if "(webpack)" in source or "webpack/bootstrap" in source or "/external " in source:
        return ""
    name = source.split("?")[0]
    at = name.rfind("node_modules/")
    return name[at + len("node_modules/") :] if at >= 0 else name.removeprefix("webpack://").lstrip("/.")
