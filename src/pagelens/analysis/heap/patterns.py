"""Regular expressions that somebody else wrote, held against many texts within a time limit.

Python's `re` can take for ever over a short text, and holds up the whole process meanwhile. So all but the simplest
patterns are looked for by a process of their own, which is ended when the time is up.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterable
from types import TracebackType

from pagelens.errors import InvalidInput

__all__ = ["Pattern"]

#: Seconds for all texts together.
LIMIT = 5.0
#: Characters of a pattern, and of a text that are looked at.
_LONGEST_PATTERN = 1000
_LONGEST_TEXT = 10_000
#: Texts that the other process gets at once.
_BATCH = 20_000

_SPECIAL = frozenset("\\^$.|?*+()[]{}")
#: Without these a search takes a time that grows with the text's length only.
_COSTLY = re.compile(r"[*+?({]|\\[0-9]")

_WORKER = """
import json, re, sys
fits = re.compile(json.loads(sys.stdin.readline()), re.IGNORECASE).search
for line in sys.stdin:
    print(json.dumps([1 if fits(text) else 0 for text in json.loads(line)]), flush=True)
"""


class Pattern:
    """Whether a regular expression is found in a text, whatever the case; each text is looked at once.

    A context manager: it may hold a process.

    Raises:
        InvalidInput: it is no regular expression. When called: it takes too long.
    """

    def __init__(self, text: str, limit: float = LIMIT) -> None:
        self._text = text
        self._limit = limit
        self._answers: dict[str, bool] = {}
        self._process: subprocess.Popen[str] | None = None
        self._timer: threading.Timer | None = None
        self._is_late = False
        if len(text) > _LONGEST_PATTERN:
            raise InvalidInput(
                f"A regular expression may have {_LONGEST_PATTERN:,} characters, and this one has {len(text):,}."
            )
        try:
            self._pattern = re.compile(text, re.IGNORECASE)
        except (re.error, RecursionError, OverflowError) as error:
            raise InvalidInput(
                f"{text[:200]!r} is no regular expression: {error}.", "Escape its special characters."
            ) from error
        self._is_plain = _SPECIAL.isdisjoint(text)
        self._is_quick = self._is_plain or _COSTLY.search(text) is None

    def __enter__(self) -> Pattern:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._process is not None:
            self._process.kill()
            self._process.communicate()

    def __call__(self, text: str) -> bool:
        """Whether it is found."""
        answer = self._answers.get(text)
        if answer is None:
            if self._is_quick:
                answer = self._answers[text] = self._pattern.search(text) is not None
            else:
                self.prepare([text])
                answer = self._answers[text]
        return answer

    def prepare(self, texts: Iterable[str]) -> None:
        """Look at many texts at once, which is quicker than one after the other."""
        if self._is_quick:
            return
        unknown = [text for text in dict.fromkeys(texts) if text not in self._answers]
        for start in range(0, len(unknown), _BATCH):
            batch = unknown[start : start + _BATCH]
            self._answers.update(zip(batch, self._ask(batch), strict=True))

    def _ask(self, texts: list[str]) -> list[bool]:
        process = self._worker()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps([text[:_LONGEST_TEXT] for text in texts]) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except OSError:
            line = ""  # it was ended while we wrote
        if not line:
            why = f"took longer than {self._limit:g} s" if self._is_late else "could not be looked for"
            raise InvalidInput(
                f"The regular expression {self._text[:200]!r} {why}.",
                "Use a simpler one, without repeats inside of repeats.",
            )
        return [bool(answer) for answer in json.loads(line)]

    def _worker(self) -> subprocess.Popen[str]:
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _WORKER],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                encoding="ascii",
            )
            assert self._process.stdin is not None
            self._process.stdin.write(json.dumps(self._text) + "\n")
            self._timer = threading.Timer(self._limit, self._give_up, [self._process])
            self._timer.daemon = True
            self._timer.start()
        return self._process

    def _give_up(self, process: subprocess.Popen[str]) -> None:
        self._is_late = True
        process.kill()
