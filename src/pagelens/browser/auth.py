"""Log in where a server or proxy asks for user and password (``--http-credentials``).

Chrome tells of such questions only for requests that it pauses, so just those to the origins in question are paused, on
the browser's own session: that covers pages, frames and workers of all kinds at once, and costs all other requests
nothing. With a proxy to log in to, every request may be the first that meets it: all are paused until it has been
answered once, from then on Chrome logs in by itself.

Each answer goes to the origin it is bound to and to no other, and is given once a request: when it comes back, it was
wrong.
"""

from __future__ import annotations

import logging
from typing import Any

from pagelens.cdp.session import Session
from pagelens.core.credentials import Credentials, origin_of, parse_credentials
from pagelens.core.options import Options

__all__ = ["Auth"]

log = logging.getLogger(__name__)

#: So many requests in progress are remembered as answered.
_REMEMBERED = 1000


class Auth:
    """The credentials of one browser.

    Raises:
        InvalidInput: a value of the option can't be read; it is not repeated.
    """

    def __init__(self, options: Options) -> None:
        found = [parse_credentials(text) for text in options.http_credentials]
        self._by_origin: dict[str, Credentials] = {one.origin: one for one in found}
        self._proxies = {origin for origin in self._by_origin if _is_proxy(origin, options.proxy_server or "")}
        self._contexts: set[str] = set()
        self._answered: dict[str, None] = {}
        self._awaits_proxy = False

    async def start(self, root: Session) -> None:
        """Take care of the questions that a browser asks from now on."""
        if not self._by_origin:
            return
        self._contexts.clear()
        self._answered.clear()
        self._awaits_proxy = bool(self._proxies)
        root.on("Fetch.requestPaused", lambda p: root.post("Fetch.continueRequest", {"requestId": p["requestId"]}))
        root.on("Fetch.authRequired", lambda p: self._asked(root, p))
        if self._proxies:
            # Cookies and logins of another context are its own: there the proxy asks again.
            root.on("Target.attachedToTarget", lambda p: self._attached(root, p["targetInfo"]))
        await root.post("Fetch.enable", self._patterns())

    def _patterns(self) -> dict[str, Any]:
        origins = [origin for origin in self._by_origin if origin not in self._proxies]
        patterns = ["*"] if self._awaits_proxy else [f"{origin}/*" for origin in origins]
        return {"patterns": [{"urlPattern": pattern} for pattern in patterns], "handleAuthRequests": True}

    def _attached(self, root: Session, info: dict[str, Any]) -> None:
        context = info.get("browserContextId", "")
        if context in self._contexts:
            return
        is_new = bool(self._contexts)
        self._contexts.add(context)
        if is_new and not self._awaits_proxy:
            self._awaits_proxy = True
            root.post("Fetch.enable", self._patterns())

    def _asked(self, root: Session, p: dict[str, Any]) -> None:
        challenge = p["authChallenge"]
        try:
            credentials = self._by_origin.get(origin_of(challenge["origin"]))
        except ValueError:
            credentials = None
        question = f"{p['requestId']} {challenge['origin']}"
        if credentials is None:
            # Chrome goes on as it would without us.
            answer: dict[str, Any] = {"response": "Default"}
        elif question in self._answered:
            log.warning("the credentials for %s were not accepted", credentials.origin)
            answer = {"response": "CancelAuth"}
        else:
            self._answered[question] = None
            if len(self._answered) > _REMEMBERED:
                del self._answered[next(iter(self._answered))]
            answer = {
                "response": "ProvideCredentials",
                "username": credentials.user,
                "password": credentials.password,
            }
        root.post("Fetch.continueWithAuth", {"requestId": p["requestId"], "authChallengeResponse": answer})
        if challenge.get("source") == "Proxy" and answer["response"] == "ProvideCredentials" and self._awaits_proxy:
            self._awaits_proxy = False
            narrower = self._patterns()
            root.post("Fetch.enable", narrower) if narrower["patterns"] else root.post("Fetch.disable")


def _is_proxy(origin: str, proxy_server: str) -> bool:
    """Whether ``--proxy-server`` (``host:3128``, ``https=a:1;http=b:2``…) names this origin."""
    for part in proxy_server.replace(";", ",").split(","):
        address = part.strip().rpartition("=")[2]
        if not address:
            continue
        try:
            if origin_of(address if "://" in address else f"http://{address}") == origin:
                return True
        except ValueError:
            continue
    return False
