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
"""Timeout of one command. Commands that run models have their own, shorter timeouts."""
_LEVELS: dict[str, MessageKind] = {"error": "error", "warn": "warning"}


class BidiSession:
    """A browser behind a WebSocket. One thread sends commands, and receives log messages while it waits for replies."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket, self._count = socket, 0
        self._consoles: dict[str, Console] = {}
        self.is_open = True
        self.version: str = self.send("session.new", capabilities={})["capabilities"]["browserVersion"]
        self.send("session.subscribe", events=["log.entryAdded"])

    def send(self, method: str, **params: Any) -> Any:
        """Send a command and return its result.

        Raises:
            DriverError: the browser refused the command, did not answer, or is gone.
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
        """Open a page in a separate profile, with its console messages; a context manager that closes it."""
        user = self.send("browser.createUserContext")["userContext"]
        try:
            context = self.send("browsingContext.create", type="tab", userContext=user)["context"]
            console = self._consoles[context] = Console()
            yield BidiPage(self, context, console), console
        finally:
            with suppress(DriverError):  # a crashed browser has already closed it
                self.send("browser.removeUserContext", userContext=user)

    def _record(self, entry: Any) -> None:
        """Add a message to the console of its page. Workers' messages name no page: they go to the newest page."""
        console = self._consoles.get(entry["source"].get("context") or next(reversed(self._consoles), ""))
        if console is None:
            return
        kind = _LEVELS.get(entry["level"], "log")
        if kind == "error" and entry["type"] == "javascript":
            kind = "uncaught"
        frames = (entry.get("stackTrace") or {}).get("callFrames") or [{"url": ""}]
        console.messages.append(ConsoleMessage(kind, str(entry["text"]), frames[0]["url"]))


class BidiPage:
    """One tab, with the methods of Playwright's page."""

    def __init__(self, session: BidiSession, context: str, console: Console) -> None:
        self._session, self._context, self.console = session, context, console

    def goto(self, url: str, /) -> None:
        """Go to an address and wait until it has loaded. Raises DriverError."""
        self._session.send("browsingContext.navigate", context=self._context, url=url, wait="complete")

    def evaluate(self, function: str, argument: Any = None, /) -> Any:
        """Call a function with an argument; argument and result pass as JSON. Raises DriverError."""
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
        """Wait until a function returns a truthy value. Raises DriverError."""
        wait_for_function(self, function, seconds)

    def screenshot(self) -> bytes:
        """Return the page as PNG. Raises DriverError."""
        import base64

        return base64.b64decode(self._session.send("browsingContext.captureScreenshot", context=self._context)["data"])


def wait_for_function(page: Any, function: str, seconds: float) -> None:
    """Poll a page until a function returns a truthy value. Raises DriverError."""
    until = time.monotonic() + seconds
    while not page.evaluate(function):
        if time.monotonic() > until:
            raise DriverError(f"{function}: not within {seconds:.0f} s")
        time.sleep(0.1)
