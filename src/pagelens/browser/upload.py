"""Give files to a file input, also one that can't be seen: pages like to hide theirs behind a button."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pagelens.browser.element import Element
from pagelens.browser.input import click_element
from pagelens.browser.world import JsFunction
from pagelens.core.safe_text import one_line
from pagelens.errors import DialogOpen, DocumentReplaced, ElementDisabled, FileFailed, InvalidInput

if TYPE_CHECKING:
    from pagelens.browser.page import Page

__all__ = ["UploadReport", "upload"]

FILE_INPUT = JsFunction("pagelens.browser", "js/file_input.js")
FILE_CONTROL = JsFunction("pagelens.browser", "js/file_control.js")
WATCH_CHANGE = JsFunction("pagelens.browser", "js/watch_change.js")
CLEAR_FILES = JsFunction("pagelens.browser", "js/clear_files.js")
FILE_NAMES = JsFunction("pagelens.browser", "js/file_names.js")

#: How long the files of a directory are waited for. Seconds.
LISTING = 5
#: How long a file chooser may take to open after the click. Seconds.
CHOOSER = 1.5


@dataclass(frozen=True)
class UploadReport:
    """What became of the files.

    Attributes:
        label: the element, as messages call it.
        via_chooser: whether the files were given to the chooser that the element opened.
        names: what the input holds now, raw; None when that could not be read, because the page reacted with a
            dialog or another document.
    """

    label: str
    names: tuple[str, ...] | None
    via_chooser: bool = False


async def upload(page: Page, target: str, paths: Sequence[Path | str]) -> UploadReport:
    """Set the files of an input (CDP ``DOM.setFileInputFiles``); its ``input`` and ``change`` events are fired.

    Nothing here waits for what it causes: callers wrap it in ``page.acting("script")``.

    Args:
        target: uid or selector of an ``<input type=file>``, of a label of one, or of an element that opens a file
            chooser when it is clicked.
        paths: files that exist; one directory for an input that takes directories. None at all empties the input.

    Raises:
        FileFailed: a file does not exist, can't be read, or is a directory where files are wanted.
        InvalidInput: the element is no file input and opens no chooser, or takes one file only.
        ElementDisabled, and what `Page.element` raises: there is no such element to give them to.
    """
    files = await asyncio.to_thread(lambda: [_checked(Path(path)) for path in paths])
    element = await page.element(target)
    try:
        control_id = await element.frame.call_on_for_object(FILE_CONTROL, element.object_id)
        assert control_id is not None
        control = Element(element.frame, control_id, element.label)
        try:
            found: dict[str, Any] = await control.call(FILE_INPUT)
            if found.get("problem"):
                return await _through_chooser(control, found, files)
            return await _upload(control, found, files)
        finally:
            await control.release()
    finally:
        await element.release()


async def _through_chooser(opener: Element, found: dict[str, Any], files: Sequence[Path]) -> UploadReport:
    """Click what opens a file chooser, which Chrome then doesn't show, and give the files to the input behind it."""
    label, frame = one_line(opener.label), opener.frame
    wrong = f"{label} {one_line(found['problem'])}"
    name_it = "Name the page's <input type=file>; it may be hidden."
    if not found["opens"] or not files:
        raise InvalidInput(f"{wrong}.", name_it)
    session, loads = frame.session, frame.page.loads
    opened: list[dict[str, Any]] = []

    def heard(event: dict[str, Any]) -> None:
        opened.append(event)
        loads.touch()

    forget = session.on("Page.fileChooserOpened", heard)
    try:
        await frame.guarded(session.post("Page.setInterceptFileChooserDialog", {"enabled": True}))
        await click_element(opener)
        await loads.wait(lambda: bool(opened), CHOOSER)
    finally:
        forget()
        session.post("Page.setInterceptFileChooserDialog", {"enabled": False})
    if not opened:
        raise InvalidInput(f"{wrong}, and a click on it opened no file chooser within {CHOOSER:g} s.", name_it)
    if "backendNodeId" not in opened[0]:
        raise InvalidInput(
            f"{label} opens a chooser that gives the page access to files themselves (showOpenFilePicker): no program"
            " can answer it.",
            "Look for another way to upload, such as dropping files.",
        )
    holder = frame.page.frames.get(opened[0]["frameId"], frame)
    node = await holder.guarded(
        holder.session.post(
            "DOM.resolveNode",
            {
                "backendNodeId": opened[0]["backendNodeId"],
                "executionContextId": await holder.isolated_context(),
            },
        )
    )
    control = Element(holder, node["object"]["objectId"], opener.label)
    try:
        report = await _upload(control, await control.call(FILE_INPUT), files)
    finally:
        await control.release()
    return replace(report, via_chooser=True)


async def _upload(control: Element, found: dict[str, Any], files: Sequence[Path]) -> UploadReport:
    label = one_line(control.label)
    if found["disabled"]:
        raise ElementDisabled(f"{label} is disabled.", "Fill in or choose what the page wants first.")
    if len(files) > 1 and not found["multiple"]:
        raise InvalidInput(f"{label} takes one file, and {len(files)} were given.", "Give one.")
    for path in files:
        if path.is_dir() != found["directory"]:
            wanted, given = ("a directory", "a file") if found["directory"] else ("files", "a directory")
            raise FileFailed(f"{path} is {given}, and {label} takes {wanted}.", f"Give {wanted}.")
    frame = control.frame
    command = {"files": [str(path) for path in files], "objectId": control.object_id}
    try:
        if files:
            await control.call(WATCH_CHANGE)
            await frame.guarded(frame.session.post("DOM.setFileInputFiles", command))
        else:
            await control.call(CLEAR_FILES)  # Chrome's command passes over an empty list
        # A directory is read by another process, which takes its time.
        wait = LISTING * 1000 if found["directory"] and files else 0
        return UploadReport(control.label, tuple(await control.call(FILE_NAMES, wait)))
    except (DialogOpen, DocumentReplaced):
        return UploadReport(control.label, None)  # the page has the files, and has reacted to them


def _checked(path: Path) -> Path:
    full = path.expanduser().absolute()
    if not full.exists():
        raise FileFailed(f"There is no file {full}.", f"Check the path; relative paths start at {Path.cwd()}.")
    if full.is_file():
        try:
            with full.open("rb"):
                pass
        except OSError as error:
            raise FileFailed(f"{full} can't be read: {error.strerror or error}.") from error
    return full
