"""Calls with secrets in their arguments, and providers that write down all they are told."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mcp.client.client import Client
from opentelemetry import metrics, trace

import pagelens.tools
from pagelens.core.options import Options
from pagelens.server.app import create_server
from tests.server.toys import ToyContext, toy_tools

HEARD: list[dict[str, Any]] = []


def talk() -> None:
    """A few calls through the SDK's client, with secrets in their arguments."""
    asyncio.run(_talk())


async def _talk() -> None:
    pagelens.tools.create_tools = toy_tools  # type: ignore[assignment]
    context: Any = ToyContext()
    async with Client(create_server(Options(), lambda: context), mode="legacy") as client:
        await client.call_tool("echo", {"text": "secret https://secret.example/?q=1"})
        await client.call_tool("refuse", {})
        await client.call_tool("break", {})
        await client.call_tool("secret_tool_that_is_none", {"secret": 1})


def listen() -> None:
    """`talk` with providers; prints what they heard as JSON."""
    trace.set_tracer_provider(_Tracers())
    metrics.set_meter_provider(_Meters())
    talk()
    # An unknown tool's name is the client's own word; the SDK's span has it, our instruments don't.
    print(json.dumps([entry for entry in HEARD if not entry["name"].endswith("secret_tool_that_is_none")]))


class _Span(trace.NonRecordingSpan):
    def __init__(self, entry: dict[str, Any]) -> None:
        super().__init__(trace.INVALID_SPAN_CONTEXT)
        self._entry = entry

    def set_attribute(self, key: str, value: Any) -> None:
        self._entry["attributes"][key] = str(value)

    def set_attributes(self, attributes: Any) -> None:
        for key, value in attributes.items():
            self.set_attribute(key, value)

    def set_status(self, status: Any, description: str | None = None) -> None:
        self._entry["status"] = f"{status} {description}"

    def record_exception(self, exception: BaseException, *rest: Any, **more: Any) -> None:
        self._entry["exception"] = repr(exception)


class _Tracer(trace.Tracer):
    def start_span(self, name: str, *rest: Any, **more: Any) -> trace.Span:
        attributes = {key: str(value) for key, value in (more.get("attributes") or {}).items()}
        # The client's own half of the SDK also makes spans here; only the server's are ours.
        entry: dict[str, Any] = {"name": name, "attributes": attributes}
        HEARD.append(entry)
        return _Span(entry)

    @contextmanager
    def start_as_current_span(self, name: str, *rest: Any, **more: Any) -> Iterator[trace.Span]:  # type: ignore[override]
        yield self.start_span(name, **more)


class _Tracers(trace.TracerProvider):
    def get_tracer(self, *rest: Any, **more: Any) -> trace.Tracer:
        return _Tracer()


class _Histogram(metrics.Histogram):
    def __init__(self, name: str, **rest: Any) -> None:
        self._name = name

    def record(self, amount: Any, attributes: Any = None, context: Any = None) -> None:
        HEARD.append({"name": self._name, "value": amount, "attributes": dict(attributes or {})})


class _Meter(metrics.NoOpMeter):
    def create_histogram(self, name: str, *rest: Any, **more: Any) -> metrics.Histogram:
        return _Histogram(name)


class _Meters(metrics.MeterProvider):
    def get_meter(self, name: str, *rest: Any, **more: Any) -> metrics.Meter:
        return _Meter(name)
