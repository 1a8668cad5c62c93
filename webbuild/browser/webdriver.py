"""A minimal WebDriver client over HTTP. Standard library only."""

from __future__ import annotations

import base64
import json
import urllib.error
import urllib.request
from typing import Any

from webbuild.browser.bidi import wait_for_function
from webbuild.browser.console import Console, ConsoleMessage
from webbuild.browser.driver_error import DriverError, DriverTimeoutError

_SECONDS = 600.0
"""Timeout of one command. Commands that run models have their own, shorter timeouts."""
_START_SECONDS = 60.0
"""Timeout for the start of a browser. WebKitGTK's driver may hang right after ending another one: a retry works."""

_LISTEN = """
if (!globalThis.webbuildMessages) {
  const messages = (globalThis.webbuildMessages = []);
  for (const kind of ["error", "warn"]) {
    const print = console[kind];
    console[kind] = (...words) => {
      messages.push([kind === "warn" ? "warning" : kind, words.join(" ")]);
      print(...words);
    };
  }
  addEventListener("error", ({ message }) => messages.push(["uncaught", String(message)]));
  addEventListener("unhandledrejection", ({ reason }) => messages.push(["uncaught", String(reason)]));
}
"""
"""Records the page's console messages and uncaught errors from now on."""

_CALL = """
const [text, done] = arguments;
const end = (answer) => done(JSON.stringify({ ...answer, messages: globalThis.webbuildMessages?.splice(0) ?? [] }));
(async () => await (FUNCTION)(JSON.parse(text)))().then(
  (value) => end({ value: value ?? null }),
  (error) => end({ error: String(error) }),
);
"""


class WebDriver:
    """A driver at an address; `capabilities` choose its browser."""

    def __init__(self, url: str, capabilities: dict[str, Any]) -> None:
        self._url, self._capabilities = url, capabilities

    def is_ready(self) -> bool:
        """Whether the driver answers."""
        try:
            self.send("GET", "/status")
        except DriverError:
            return False
        return True

    def version(self) -> str:
        """Return the version of the browser. Raises DriverError."""
        started = self._start()
        self.send("DELETE", f"/session/{started['sessionId']}")
        return str(started["capabilities"]["browserVersion"])

    def open(self, console: Console) -> WebDriverPage:
        """Open a page in a new session. Raises DriverError."""
        page = WebDriverPage(self, f"/session/{self._start()['sessionId']}", console)
        milliseconds = int(_SECONDS * 1000)
        self.send("POST", f"{page.path}/timeouts", {"script": milliseconds, "pageLoad": milliseconds})
        return page

    def _start(self) -> Any:
        body = {"capabilities": {"alwaysMatch": self._capabilities}}
        try:
            return self.send("POST", "/session", body, seconds=_START_SECONDS)
        except DriverTimeoutError:
            return self.send("POST", "/session", body, seconds=_START_SECONDS)

    def send(
        self, method: str, path: str, body: dict[str, Any] | None = None, *, seconds: float = _SECONDS + 30
    ) -> Any:
        """Send a command and return its value. Raises DriverError; DriverTimeoutError after `seconds`."""
        content = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(self._url + path, content, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=seconds) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            value = json.loads(error.read() or b"{}").get("value") or {}
            raise DriverError(f"{path}: {value.get('error')}: {value.get('message')}") from error
        except TimeoutError as error:
            raise DriverTimeoutError(f"{path}: no answer within {seconds:g} s") from error
        except (OSError, ValueError) as error:
            raise DriverError(f"{path}: the browser is gone: {error}") from error


class WebDriverPage:
    """One window, with the methods of Playwright's page."""

    def __init__(self, driver: WebDriver, path: str, console: Console) -> None:
        self._driver, self.path, self._console = driver, path, console
        self._url = ""

    def goto(self, url: str, /) -> None:
        """Go to an address and wait until it has loaded. Raises DriverError."""
        self._driver.send("POST", f"{self.path}/url", {"url": url})
        self._url = url
        self._driver.send("POST", f"{self.path}/execute/sync", {"script": _LISTEN, "args": []})

    def evaluate(self, function: str, argument: Any = None, /) -> Any:
        """Call a function with an argument; argument and result pass as JSON. Raises DriverError."""
        script = _CALL.replace("FUNCTION", function)
        body = {"script": script, "args": [json.dumps(argument)]}
        answer = json.loads(self._driver.send("POST", f"{self.path}/execute/async", body))
        self._console.messages += [ConsoleMessage(kind, text, self._url) for kind, text in answer["messages"]]
        if "error" in answer:
            raise DriverError(answer["error"])
        return answer["value"]

    def wait_for_function(self, function: str, /, *, seconds: float = 300) -> None:
        """Wait until a function returns a truthy value. Raises DriverError."""
        wait_for_function(self, function, seconds)

    def screenshot(self) -> bytes:
        """Return the page as PNG. Raises DriverError."""
        return base64.b64decode(self._driver.send("GET", f"{self.path}/screenshot"))

    def close(self) -> None:
        """End the session, and with it the browser."""
        self._driver.send("DELETE", self.path)
