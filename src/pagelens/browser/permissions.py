"""What Chrome itself asks the user on behalf of a page, as far as that can be seen over CDP.

What was measured (Chromium 156):

* Permissions (location, notifications, camera, clipboard…): without a window Chrome denies them at once, and the page
  is told so. With a window it asks there; CDP tells neither that it asks nor the answer.
* Login prompts: see `pagelens.browser.auth`. File choosers: without a window they are cancelled.
* Account choosers of federated sign-in (FedCM) and device choosers (WebUSB, WebBluetooth) are announced. Without a
  window nobody can answer them and the page would wait for ever, so they are dismissed, and that is said.
* Choosers for screen sharing, serial ports, HID devices, and the eye dropper are not announced at all: the page waits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pagelens.core.safe_text import one_line, quoted, shortened

if TYPE_CHECKING:
    from pagelens.browser.host import BrowserHost
    from pagelens.browser.page import Page
    from pagelens.browser.page_sessions import AttachedSession

__all__ = ["Permissions"]


class Permissions:
    """Answers the prompts of one browser that nobody else can, and says which ones are open."""

    def __init__(self, host: BrowserHost) -> None:
        self._host = host

    def watch(self, page: Page) -> None:
        """Look after a new page."""
        page.session_attached.connect(lambda attached: self._attached(page, attached))

    def _attached(self, page: Page, attached: AttachedSession) -> None:
        if attached.kind == "worker":
            return
        session = attached.session

        def account_chooser(p: dict[str, Any]) -> None:
            names = ", ".join(quoted(shortened(one_line(one.get("email") or one["name"]), 80)) for one in p["accounts"])
            self._say(page, f"a choice of accounts to sign in with ({names})" if names else "a sign-in prompt")
            if self._host.is_headless:
                session.post("FedCm.dismissDialog", {"dialogId": p["dialogId"]})

        def device_chooser(p: dict[str, Any]) -> None:
            self._say(page, "a choice of devices to connect to")
            if self._host.is_headless:
                session.post("DeviceAccess.cancelPrompt", {"id": p["id"]})

        session.on("FedCm.dialogShown", account_chooser)
        session.on("DeviceAccess.deviceRequestPrompted", device_chooser)
        attached.init += [("FedCm.enable", {}), ("DeviceAccess.enable", {})]

    def _say(self, page: Page, what: str) -> None:
        if self._host.is_headless:
            page.news.add(f"The page made Chrome show {what}; nobody can answer it without a window: it was dismissed.")
        else:
            page.news.add(f"The page made Chrome show {what}: it is open in the window until the user answers it.")
