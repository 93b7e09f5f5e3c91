"""Recording performance traces, for the library."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from pagelens.context.tracing import copy_trace
from pagelens.errors import FileFailed

if TYPE_CHECKING:
    from pagelens.analysis.trace import Trace
    from pagelens.context.tracing import PageTracing

__all__ = ["TraceRecording"]

log = logging.getLogger(__name__)


class TraceRecording:
    """A recording, made by `Page.trace`: it begins where ``async with`` does, and is analysed at its end.

    A body that raises ends the recording and throws it away.

    Attributes:
        seconds: how long was recorded.
        is_quiet: whether the page had come to rest; None when nobody waited for that.
        data_loss: the end is missing: there was more than Chrome's memory for it holds.
    """

    def __init__(
        self,
        tracing: PageTracing,
        *,
        reload: bool,
        ignore_cache: bool,
        path: Path | str | None,
        screenshots: bool,
        selector_stats: bool,
    ) -> None:
        self._tracing = tracing
        self._reload, self._ignore_cache = reload, ignore_cache
        self._path = None if path is None else Path(path)
        self._screenshots, self._selector_stats = screenshots, selector_stats
        self._trace: Trace | None = None
        self.seconds = 0.0
        self.is_quiet: bool | None = None
        self.data_loss = False

    @property
    def trace(self) -> Trace:
        """What was recorded, analysed; there is none before the recording has ended."""
        if self._trace is None:
            raise RuntimeError("The recording has not ended: its trace is there after the block.")
        return self._trace

    async def until_quiet(self) -> bool:
        """Wait until the page has come to rest, 10 seconds at most; returns whether it has."""
        self.is_quiet = await self._tracing.until_quiet()
        return self.is_quiet

    async def __aenter__(self) -> TraceRecording:
        await self._tracing.start(
            reload=self._reload,
            cold=self._ignore_cache,
            screenshots=self._screenshots,
            selector_stats=self._selector_stats,
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._tracing.discard()
            return
        recorded, conditions = await self._tracing.end(is_quiet=self.is_quiet)
        self.seconds, self.data_loss = recorded.seconds, recorded.data_loss
        if self.data_loss:
            log.warning("the end of a trace is missing: there was more than Chrome's memory for it holds")
        if self._path is not None:
            path = self._path

            def write() -> None:
                try:
                    with path.open("wb") as file:
                        copy_trace(recorded, file, path)
                except OSError as error:
                    raise FileFailed(f"{path} could not be written: {error.strerror or error}.") from error

            await asyncio.to_thread(write)
        self._trace = (await self._tracing.analyse(recorded, conditions, path=self._path)).trace
