"""What a page shows, as text: one line for each thing that says something, every frame in its place.

::

    page "Orders" url=https://shop.example/orders
    uid=e1 navigation "Main"
      uid=e2 link "Home" /
    uid=e3 heading "Orders" level=1
    3 orders are waiting.
    uid=e4 textbox "Search" focused value="lamp"
    uid=e5 table "Open orders"
      row Number | Customer | Total
      uid=e6 row
        cell 1042
        uid=e7 link "Ada" /customers/ada
    uid=e8 iframe "Payment" https://pay.example/form
      uid=e9 button "Pay" disabled

A line is ``uid=e12 role "name"``, then states (``disabled``, ``value="…"``), then the address of a link; two spaces of
indent a level. A line without uid that starts with none of our words is text of the page; text that would start like a
line of ours is put in quotes. A ``row`` without uid has its cells between ``|``.
"""

from __future__ import annotations

import asyncio
import re
from weakref import WeakKeyDictionary

from pagelens.browser.frame import Frame
from pagelens.browser.page import Page
from pagelens.core.safe_text import one_line, quoted, shortened
from pagelens.errors import CommandTimeout, PageClosed, PagelensError
from pagelens.snapshot.frame_reader import FrameReader

__all__ = ["TextSnapshot"]

_readers: WeakKeyDictionary[Page, FrameReader] = WeakKeyDictionary()

_IFRAME = re.compile(r"( *)uid=e(\d+) iframe\b")
#: Addresses in the header line are cut here: a data: URL may be megabytes.
_LONGEST_URL = 500

#: Words that lines of ours start with. A text that starts with one of them is put in quotes.
_WORDS = """
abbr alert alertdialog application article audio banner blockquote button canvas caption cell checkbox code
color colheader combobox comment complementary contentinfo date datetime definition deletion details dialog dl
document embed emphasis feed figure form generic grid gridcell group heading iframe img inert insertion item
label legend link list listbox listitem log main mark marquee math menu menubar menuitem menuitemcheckbox
menuitemradio meter navigation none note object option options page paragraph presentation progressbar radio
radiogroup region row rowgroup rowheader ruby scrollbar search searchbox sectionfooter sectionheader separator
slider spinbutton status strong subscript suggestion summary superscript switch tab table tablist tabpanel term
textbox time timer toolbar tooltip tree treegrid treeitem unread video
"""
ROLE_WORDS = frozenset(_WORDS.split())
_PREFIXES = ("uid=", "doc-", "graphics-", '"')


class TextSnapshot:
    """A page as text at one moment; made by `take`.

    Attributes:
        text: the header line and all lines, without a newline at the end.
        frames: how many frames' documents are in it.
        problems: what could not be read and why, each also said in its place in the text.
    """

    def __init__(self, text: str, frames: int, problems: list[str]) -> None:
        self.text = text
        self.frames = frames
        self.problems = problems

    @property
    def line_count(self) -> int:
        """How many lines `text` has, the header included."""
        return self.text.count("\n") + 1

    @classmethod
    async def take(cls, page: Page, *, verbose: bool = False) -> TextSnapshot:
        """Read the page now.

        A frame that can't be read (stuck, gone, navigating) costs no other frame its lines, and at most a few
        seconds: an ``unread`` line stands in its place.

        Args:
            page: a live page.
            verbose: also boxes (``box=x,y,width,height`` in CSS pixels of the frame's viewport), whole addresses,
                and lines of their own for lists, paragraphs and the like.

        Raises:
            PageCrashed, PageClosed, DialogOpen, CommandTimeout: nothing of the page can be read.
        """
        reader = _readers.get(page)
        if reader is None:
            reader = _readers[page] = FrameReader()
        taking = _Taking(reader, verbose)
        lines = await taking.frame(page.main_frame)
        if taking.read == 0 and taking.first_error is not None:
            raise taking.first_error
        title = page.title if taking.title is None else taking.title
        header = f"page {quoted(title)} url={shortened(one_line(page.url), _LONGEST_URL)}"
        return cls("\n".join([header, *lines]), taking.read, taking.problems)

    @staticmethod
    async def uid_of(page: Page, node: int) -> int | None:
        """The uid of a node, by its backend id in the process of the page's main frame; None when no snapshot has shown
        it.

        Raises:
            PagelensError: the frame that may have it can't be asked.
        """
        reader = _readers.get(page)
        if reader is None:
            return None
        session = page.main_frame.session
        for frame in page.main_frame.subtree():
            if frame.session is session and (found := await reader.uid_of(frame, node)) is not None:
                return found
        return None


class _Taking:
    """One snapshot under way."""

    def __init__(self, reader: FrameReader, verbose: bool) -> None:
        self._reader = reader
        self._verbose = verbose
        self.read = 0
        self.title: str | None = None
        self.problems: list[str] = []
        self.first_error: PagelensError | None = None

    async def frame(self, frame: Frame) -> list[str]:
        """The printable lines of a frame, those of the frames in it under their elements."""
        try:
            read = await self._reader.read(frame, verbose=self._verbose)
        except PagelensError as error:
            if isinstance(error, PageClosed):
                raise
            self.first_error = self.first_error or error
            return [self._unread(frame, error), *await self._others(frame, error)]
        self.read += 1
        if frame.is_main:
            self.title = read.title
        lines = [line for line in map(_safe, read.lines) if line]
        if not frame.children:
            return lines
        places = {int(match[2]): i for i, line in enumerate(lines) if (match := _IFRAME.match(line))}
        if not places:
            return lines
        try:
            owners = await self._reader.owner_uids(frame)
        except PagelensError as error:
            return [*lines, self._unread(frame, error)]
        shown = [(places[uid], child) for uid, child in owners.items() if uid in places]
        inner = await asyncio.gather(*(self.frame(child) for _, child in shown))
        for (place, _), child_lines in sorted(zip(shown, inner, strict=True), key=lambda pair: -pair[0][0]):
            indent = "  " + lines[place][: -len(lines[place].lstrip(" "))]
            lines[place + 1 : place + 1] = [indent + line for line in child_lines]
        return lines

    async def _others(self, frame: Frame, error: PagelensError) -> list[str]:
        """Frames inside an unreadable one that live in processes of their own can be read all the same."""
        if not isinstance(error, CommandTimeout):
            return []
        apart = [f for f in frame.subtree()[1:] if f.is_out_of_process and f.session is not frame.session]
        tops = [f for f in apart if not any(f is not g and f in g.subtree() for g in apart)]
        lines: list[str] = []
        for child, inner in zip(tops, await asyncio.gather(*(self.frame(f) for f in tops)), strict=True):
            lines.append(f"iframe {quoted(child.name)} {shortened(one_line(child.url), _LONGEST_URL)}")
            lines.extend("  " + line for line in inner)
        return lines

    def _unread(self, frame: Frame, error: PagelensError) -> str:
        where = "The page" if frame.is_main else f"Frame {shortened(one_line(frame.url), 100)}"
        self.problems.append(f"{where} could not be read: {error.message}")
        return f"unread {quoted(error.message)}"


def _safe(raw: str) -> str:
    """A line from the page side as it may be printed; empty when nothing of it is left."""
    body = raw.lstrip(" ")
    indent = raw[: len(raw) - len(body)]
    if not body.startswith("\x01"):
        return indent + one_line(body)
    text = one_line(body[1:])
    if text == "":
        return ""
    word = text.partition(" ")[0].rstrip(":")
    if word in ROLE_WORDS or text.startswith(_PREFIXES):
        text = quoted(text)
    return indent + text
