"""A minimal WebDriver BiDi client: opens pages, calls functions in them, receives their messages."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from webbuild.browser.console import Console, ConsoleMessage, MessageKind
from webbuild.browser.driver_error import DriverError, first_line

if TYPE_CHECKING:
    from websockets.sync.client import ClientConnection

_SECONDS = 600.0
"""For any one answer. What runs models ends its own steps earlier."""
_LEVELS: dict[str, MessageKind] = {"error": "error", "warn": "warning"}


class BidiSession:
    """A browser behind a WebSocket. One thread sends, and hears what pages say while it waits for an answer."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket, self._count = socket, 0
        self._consoles: dict[str, Console] = {}
        self.is_open = True
        self.version: str = self.send("session.new", capabilities={})["capabilities"]["browserVersion"]
        self.send("session.subscribe", events=["log.entryAdded"])

    def send(self, method: str, **params: Any) -> Any:
        """Send a command and return its result.

        Raises:
            DriverError: the browser refused it, did not answer, or is gone.
        """
        from websockets.exceptions import ConnectionClosed

        self._count += 1
        try:
            self._socket.send(json.dumps({"id": self._count, "method": method, "params": params}))
            while True:
                message = json.loads(self._socket.recv(timeout=_SECONDS))
                if message.get("method") == "log.entryAdded":
                    self._record(message["params"])
                elif message.get("id") == self._count:
                    break
        except TimeoutError as error:
            raise DriverError(f"{method}: no answer in {_SECONDS:.0f} s") from error
        except (ConnectionClosed, OSError) as error:
            self.is_open = False
            raise DriverError(f"{method}: the browser is gone: {first_line(error)}") from error
        if message["type"] == "error":
            raise DriverError(f"{method}: {message['error']}: {message['message']}")
        return message["result"]

    @contextmanager
    def page(self) -> Iterator[tuple[BidiPage, Console]]:
        """Open a page in a profile of its own, with everything it says; closed after the block."""
        user = self.send("browser.createUserContext")["userContext"]
        try:
            context = self.send("browsingContext.create", type="tab", userContext=user)["context"]
            console = self._consoles[context] = Console()
            yield BidiPage(self, context, console), console
        finally:
            with suppress(DriverError):  # a browser that died has closed it already
                self.send("browser.removeUserContext", userContext=user)

    def _record(self, entry: Any) -> None:
        """Keep a message with its page; a worker's has no page, and goes to the newest."""
        console = self._consoles.get(entry["source"].get("context") or next(reversed(self._consoles), ""))
        if console is None:
            return
        kind = _LEVELS.get(entry["level"], "log")
        if kind == "error" and entry["type"] == "javascript":
            kind = "uncaught"
        frames = (entry.get("stackTrace") or {}).get("callFrames") or [{"url": ""}]
        console.messages.append(ConsoleMessage(kind, str(entry["text"]), frames[0]["url"]))


class BidiPage:
    """One tab: what Playwright's page can do, in its words."""

    def __init__(self, session: BidiSession, context: str, console: Console) -> None:
        self._session, self._context, self.console = session, context, console

    def goto(self, url: str, /) -> None:
        """Go to an address and wait until it has loaded. Raises DriverError."""
        self._session.send("browsingContext.navigate", context=self._context, url=url, wait="complete")

    def evaluate(self, function: str, argument: Any = None, /) -> Any:
        """Call a function with a value; both ways it crosses as JSON. Raises DriverError."""
        answer = self._session.send(
            "script.callFunction",
            functionDeclaration=f"async (text) => JSON.stringify(await ({function})(JSON.parse(text)) ?? null)",
            arguments=[{"type": "string", "value": json.dumps(argument)}],
            target={"context": self._context},
            awaitPromise=True,
        )
        if answer["type"] == "exception":
            raise DriverError(answer["exceptionDetails"]["text"])
        return json.loads(answer["result"]["value"])

    def wait_for_function(self, function: str, /, *, seconds: float = 300) -> None:
        """Wait until a function returns something true. Raises DriverError."""
        wait_for_function(self, function, seconds)

    def screenshot(self) -> bytes:
        """Return the page as PNG. Raises DriverError."""
        import base64

        return base64.b64decode(self._session.send("browsingContext.captureScreenshot", context=self._context)["data"])


def wait_for_function(page: Any, function: str, seconds: float) -> None:
    """Ask a page until a function returns something true. Raises DriverError."""
    until = time.monotonic() + seconds
    while not page.evaluate(function):
        if time.monotonic() > until:
            raise DriverError(f"{function}: not within {seconds:.0f} s")
        time.sleep(0.1)
