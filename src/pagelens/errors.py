"""Every error that pagelens raises, in one tree.

::

    PagelensError
    ├── BrowserError                 the browser itself
    │   ├── BrowserNotFound          browser_not_found
    │   ├── LaunchFailed             launch_failed
    │   │   ├── ProfileInUse         profile_in_use
    │   │   └── NoUsableSandbox      no_usable_sandbox
    │   ├── AttachFailed             attach_failed       a running browser can't be reached
    │   └── ConnectionLost           connection_lost
    ├── ProtocolError                protocol_error      Chrome refused a command
    │   └── SessionClosed            session_closed      its target went away before it answered
    ├── DeadlineExceeded             deadline_exceeded
    │   ├── CommandTimeout           command_timeout     one CDP command got no answer
    │   ├── LockTimeout              lock_timeout        another call holds the page
    │   └── WaitTimeout              wait_timeout        what was waited for did not come
    ├── PageError                    a page can't do what was asked
    │   ├── PageCrashed              page_crashed
    │   ├── PageClosed               page_closed
    │   ├── PageNotFound             page_not_found
    │   ├── PageUnresponsive         page_unresponsive   it gives no answer: stuck, or held by another program
    │   ├── DialogOpen               dialog_open
    │   ├── NoDialog                 no_dialog
    │   ├── DocumentReplaced         document_replaced
    │   ├── NavigationFailed         navigation_failed
    │   ├── ScriptFailed             script_failed
    │   ├── ToolGone                 tool_gone           a tool that the page offered
    │   ├── EmulationFailed          emulation_failed    Chrome did not take all that the page is to believe
    │   ├── ResizeFailed             resize_failed       the window has another size than it was to have
    │   ├── ScreenshotFailed         screenshot_failed
    │   ├── WebMCPUnavailable        webmcp_unavailable  the page can't offer tools of its own
    │   └── TraceFailed              trace_failed        no performance trace could be recorded
    ├── ElementError                 an element can't be acted on
    │   ├── ElementGone              element_gone
    │   ├── ElementNotFound          element_not_found
    │   ├── ElementAmbiguous         element_ambiguous
    │   ├── ElementHidden            element_hidden
    │   │   └── ElementZeroSize      element_zero_size
    │   ├── ElementDisabled          element_disabled
    │   ├── ElementMoving            element_moving
    │   ├── ElementCovered           element_covered
    │   ├── FrameGone                frame_gone
    │   ├── FillFailed               fill_failed
    │   ├── NotEditable              not_editable        nothing that takes text has the focus
    │   └── DropRefused              drop_refused
    ├── RecordError                  a recorded request or console message can't be shown
    │   ├── RecordNotFound           record_not_found    no such id on this page
    │   └── RecordGone               record_gone         it was there, and is no longer kept
    ├── AnalysisError                a recorded file can't be analysed
    │   ├── BadSnapshot              bad_snapshot        it is no heap snapshot, damaged or too large
    │   ├── BadTrace                 bad_trace           it is no trace of a page in Chrome, damaged or too large
    │   ├── HeapObjectNotFound       heap_object_not_found
    │   ├── ExtraMissing             extra_missing       it needs a part of pagelens that is not installed
    │   └── AnalysisCancelled        analysis_cancelled
    ├── PathNotAllowed               path_not_allowed
    ├── UrlNotAllowed                url_not_allowed     the user's rules for addresses forbid it
    ├── FileFailed                   file_failed         a file can't be read or written
    ├── ResourceFailed               resource_failed     what we need from a server (a source map) can't be loaded
    ├── InvalidInput                 invalid_input       arguments that can't be right
    │   ├── UnknownTool              unknown_tool
    │   └── ToolDisabled             tool_disabled
    └── InternalError                internal_error      a fault of ours; its traceback is in the log

A message says what happened, why, and what to do next, in that order. ``code`` never changes once
released: programs may rely on it.
"""

from __future__ import annotations

from typing import ClassVar

__all__ = [
    "AnalysisCancelled",
    "AnalysisError",
    "AttachFailed",
    "BadSnapshot",
    "BadTrace",
    "BrowserError",
    "BrowserNotFound",
    "CommandTimeout",
    "ConnectionLost",
    "DeadlineExceeded",
    "DialogOpen",
    "DocumentReplaced",
    "DropRefused",
    "ElementAmbiguous",
    "ElementCovered",
    "ElementDisabled",
    "ElementError",
    "ElementGone",
    "ElementHidden",
    "ElementMoving",
    "ElementNotFound",
    "EmulationFailed",
    "ExtraMissing",
    "FileFailed",
    "FillFailed",
    "FrameGone",
    "HeapObjectNotFound",
    "InternalError",
    "InvalidInput",
    "LaunchFailed",
    "LockTimeout",
    "NavigationFailed",
    "NoDialog",
    "NoUsableSandbox",
    "NotEditable",
    "PageClosed",
    "PageCrashed",
    "PageError",
    "PageNotFound",
    "PageUnresponsive",
    "PagelensError",
    "PathNotAllowed",
    "ProfileInUse",
    "ProtocolError",
    "RecordError",
    "RecordGone",
    "RecordNotFound",
    "ResizeFailed",
    "ResourceFailed",
    "ScreenshotFailed",
    "ScriptFailed",
    "SessionClosed",
    "ToolDisabled",
    "ToolGone",
    "TraceFailed",
    "UnknownTool",
    "UrlNotAllowed",
    "WaitTimeout",
    "WebMCPUnavailable",
]


class PagelensError(Exception):
    """Base of all errors of this package.

    Attributes:
        code: stable identifier for programs, e.g. ``element_covered``.
        message: what happened and why, one sentence or more.
        hint: what to do next; empty when the message already says it.
    """

    code: ClassVar[str] = "error"

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        space = "" if self.message.endswith("\n") else " "
        return f"{self.message}{space}{self.hint}".rstrip()


class BrowserError(PagelensError):
    """The browser could not be found, started or reached."""

    code = "browser_error"


class BrowserNotFound(BrowserError):
    """No Chrome or Chromium on this machine; the message lists every place tried."""

    code = "browser_not_found"


class LaunchFailed(BrowserError):
    """Chrome was found but ended or fell silent before it answered; carries the end of its stderr."""

    code = "launch_failed"


class ProfileInUse(LaunchFailed):
    """The profile directory belongs to a browser that is running, or to another host's lock."""

    code = "profile_in_use"


class NoUsableSandbox(LaunchFailed):
    """Chrome can't set up its sandbox on this machine."""

    code = "no_usable_sandbox"


class AttachFailed(BrowserError):
    """A browser that runs already can't be reached; the message lists what was tried and why each failed."""

    code = "attach_failed"


class ConnectionLost(BrowserError):
    """The connection to Chrome ended: it exited, crashed or was killed."""

    code = "connection_lost"


class ProtocolError(PagelensError):
    """Chrome answered a command with an error.

    Attributes:
        method: the CDP method.
        protocol_code: Chrome's number, e.g. -32602.
        protocol_message: Chrome's words, unchanged.
    """

    code = "protocol_error"

    def __init__(self, method: str, protocol_code: int, protocol_message: str) -> None:
        super().__init__(f"Chrome refused {method}: {protocol_message}")
        self.method = method
        self.protocol_code = protocol_code
        self.protocol_message = protocol_message


class SessionClosed(ProtocolError):
    """The target of a command was closed, detached or crashed before it answered."""

    code = "session_closed"

    def __init__(self, method: str, reason: str) -> None:
        super().__init__(method, -32001, reason)
        self.reason = reason


class DeadlineExceeded(PagelensError):
    """Something took longer than its deadline; the work was ended, not left running."""

    code = "deadline_exceeded"


class CommandTimeout(DeadlineExceeded):
    """One CDP command got no answer in time."""

    code = "command_timeout"


class LockTimeout(DeadlineExceeded):
    """Another call has held the page (or browser) for too long; the message names it."""

    code = "lock_timeout"


class WaitTimeout(DeadlineExceeded):
    """A condition that was waited for did not come true in time; the message says what is there instead."""

    code = "wait_timeout"


class PageError(PagelensError):
    """A page can't do what was asked of it."""

    code = "page_error"


class PageCrashed(PageError):
    """The page's renderer process died. Reloading or navigating revives it."""

    code = "page_crashed"


class PageClosed(PageError):
    """The page was closed before or during the call."""

    code = "page_closed"


class PageNotFound(PageError):
    """No page has this id."""

    code = "page_not_found"


class PageUnresponsive(PageError):
    """A page of a browser that was running before us gives no answer."""

    code = "page_unresponsive"


class DialogOpen(PageError):
    """An alert, confirm, prompt or beforeunload dialog holds the page until it is handled."""

    code = "dialog_open"


class NoDialog(PageError):
    """There is no dialog to handle."""

    code = "no_dialog"


class DocumentReplaced(PageError):
    """The page navigated while it was being read or acted on; trying again meets the new document."""

    code = "document_replaced"


class NavigationFailed(PageError):
    """The page could not be loaded (a ``net::`` error, a bad URL, no history entry)."""

    code = "navigation_failed"


class ScriptFailed(PageError):
    """JavaScript that the caller supplied threw, or did not compile."""

    code = "script_failed"


class ToolGone(PageError):
    """A tool that the page offered is there no more."""

    code = "tool_gone"


class EmulationFailed(PageError):
    """Chrome did not take all of what a page is to believe; the message says what, why, and what it did take."""

    code = "emulation_failed"


class ResizeFailed(PageError):
    """The window has another size than it was to have; the message says which."""

    code = "resize_failed"


class ScreenshotFailed(PageError):
    """No picture could be taken."""

    code = "screenshot_failed"


class TraceFailed(PageError):
    """No performance trace could be recorded: another recording goes on, none does, or Chrome gave none."""

    code = "trace_failed"


class WebMCPUnavailable(PageError):
    """The page can't offer tools: the browser has no WebMCP, or gives it to no such page; the message says why."""

    code = "webmcp_unavailable"


class ElementError(PagelensError):
    """An element can't be acted on; subclasses say why."""

    code = "element_error"


class ElementGone(ElementError):
    """The element left its document, or the document was replaced."""

    code = "element_gone"


class ElementNotFound(ElementError):
    """No such uid was ever given out, or no element matches the selector."""

    code = "element_not_found"


class ElementAmbiguous(ElementError):
    """A selector matches several elements; the message lists candidates."""

    code = "element_ambiguous"


class ElementHidden(ElementError):
    """The element is not rendered, is invisible or has no size."""

    code = "element_hidden"


class ElementZeroSize(ElementHidden):
    """The element is rendered, but has no size, and nothing in it has."""

    code = "element_zero_size"


class ElementDisabled(ElementError):
    """The control is disabled."""

    code = "element_disabled"


class ElementMoving(ElementError):
    """The element did not come to rest in time."""

    code = "element_moving"


class ElementCovered(ElementError):
    """Another element would receive the click; the message names it."""

    code = "element_covered"


class FrameGone(ElementError):
    """The frame that held the element is gone."""

    code = "frame_gone"


class FillFailed(ElementError):
    """The element can't take this value, or the page did not keep it."""

    code = "fill_failed"


class NotEditable(ElementError):
    """Text was to be typed, and nothing that takes text has the focus."""

    code = "not_editable"


class DropRefused(ElementError):
    """An element was dragged, and the one it was dropped on did not take it."""

    code = "drop_refused"


class RecordError(PagelensError):
    """A recorded request or console message can't be shown; subclasses say why."""

    code = "record_error"


class RecordNotFound(RecordError):
    """No request or message of this page has this id."""

    code = "record_not_found"


class RecordGone(RecordError):
    """The request or message existed; its page was closed, or has moved on too far."""

    code = "record_gone"


class AnalysisError(PagelensError):
    """A recorded file can't be analysed; subclasses say why."""

    code = "analysis_error"


class BadSnapshot(AnalysisError):
    """The file is no heap snapshot, is damaged, or is too large; the message says what is wrong and where."""

    code = "bad_snapshot"


class BadTrace(AnalysisError):
    """The file is no trace of a page in Chrome, is damaged, or is too large; the message says what is wrong."""

    code = "bad_trace"


class HeapObjectNotFound(AnalysisError):
    """A heap snapshot has no such object or class."""

    code = "heap_object_not_found"


class ExtraMissing(AnalysisError):
    """This needs an optional part of pagelens; the message says how to install it."""

    code = "extra_missing"


class AnalysisCancelled(AnalysisError):
    """The caller gave up before the file was analysed."""

    code = "analysis_cancelled"


class PathNotAllowed(PagelensError):
    """A file path lies outside the directories that may be read or written."""

    code = "path_not_allowed"


class UrlNotAllowed(PagelensError):
    """The user's rules forbid to load this address; the message names the flag."""

    code = "url_not_allowed"


class FileFailed(PagelensError):
    """A file could not be read or written: missing directory, full disk, no permission."""

    code = "file_failed"


class ResourceFailed(PagelensError):
    """Something that we need from a server, such as a source map, could not be loaded."""

    code = "resource_failed"


class InvalidInput(PagelensError):
    """Arguments or options that can't be right; every problem is named."""

    code = "invalid_input"


class UnknownTool(InvalidInput):
    """No tool has this name."""

    code = "unknown_tool"


class ToolDisabled(InvalidInput):
    """The tool exists but its category or condition is off; the message names the flag."""

    code = "tool_disabled"


class InternalError(PagelensError):
    """A fault of ours, not of the page or the caller. The log has its traceback; the caller gets none."""

    code = "internal_error"
