"""Firefox over WebDriver BiDi, as far as driving one page takes: go somewhere, call a function, hear what is said."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

from benchmarks.lavapipe.__main__ import ICD

_LISTENING = re.compile(r"WebDriver BiDi listening on (ws://\S+)")
_SECONDS = 300.0
_PREFERENCES = """
user_pref("app.update.enabled", false);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("browser.safebrowsing.update.enabled", false);
user_pref("extensions.update.enabled", false);
user_pref("toolkit.telemetry.enabled", false);
"""


_WEBGPU = """
user_pref("dom.webgpu.enabled", true);
user_pref("dom.webgpu.workers.enabled", true);
user_pref("gfx.webgpu.ignore-blocklist", true);
"""
"""What gives Firefox on Linux WebGPU, which it has by itself on Windows and macOS."""


class BidiError(Exception):
    """The browser refused a command, or a function threw in its page."""


@dataclass
class FirefoxPage:
    """One tab. What Playwright's page can do, in the words that the tests need."""

    socket: ClientConnection
    context: str
    version: str
    complaints: list[str] = field(default_factory=list)
    """Errors and warnings on the console, and what nobody caught."""
    _count: int = 1

    def goto(self, url: str) -> None:
        """Wait until the page has loaded."""
        self.send("browsingContext.navigate", context=self.context, url=url, wait="complete")

    def evaluate(self, function: str, argument: Any = None) -> Any:
        """Call a function with a value; both ways it crosses as JSON."""
        answer = self.send(
            "script.callFunction",
            functionDeclaration=f"async (text) => JSON.stringify(await ({function})(JSON.parse(text)) ?? null)",
            arguments=[{"type": "string", "value": json.dumps(argument)}],
            target={"context": self.context},
            awaitPromise=True,
        )
        if answer["type"] == "exception":
            raise BidiError(answer["exceptionDetails"]["text"])
        return json.loads(answer["result"]["value"])

    def wait_for_function(self, function: str, *, seconds: float = _SECONDS) -> None:
        """Wait until a function returns something true."""
        until = time.monotonic() + seconds
        while not self.evaluate(function):
            if time.monotonic() > until:
                raise BidiError(f"{function}: not within {seconds:.0f} s")
            time.sleep(0.1)

    def send(self, method: str, **params: Any) -> Any:
        """Send a command and wait for its answer; what is said on the console meanwhile is kept."""
        self._count += 1
        self.socket.send(json.dumps({"id": self._count, "method": method, "params": params}))
        while True:
            try:
                message = json.loads(self.socket.recv(timeout=_SECONDS))
            except TimeoutError as error:
                raise BidiError(f"{method} {json.dumps(params)[-300:]}: no answer in {_SECONDS:.0f} s") from error
            if message.get("method") == "log.entryAdded":
                self._hear(message["params"])
            elif message.get("id") == self._count:
                if message["type"] == "error":
                    raise BidiError(f"{method}: {message['error']}: {message['message']}")
                return message["result"]

    def _hear(self, entry: Any) -> None:
        if entry["level"] in ("error", "warn"):
            self.complaints.append(f"{entry['level']}: {entry['text']}")


def find_driver() -> Path | None:
    """Return the file that names Mesa's lavapipe as the Vulkan driver, None where that is not installed."""
    return next((path for path in ICD if path.exists()), None)


@contextmanager
def firefox(path: Path, *, webgpu: bool = False) -> Iterator[FirefoxPage]:
    """Run a browser with a profile of its own for a block, with `webgpu` on Mesa's lavapipe. No process outlives it."""
    with tempfile.TemporaryDirectory(prefix="webbuild-firefox-", ignore_cleanup_errors=True) as profile:
        (Path(profile) / "user.js").write_text(_PREFERENCES + (_WEBGPU if webgpu else ""))
        driver = find_driver()
        process = subprocess.Popen(
            [path, "--headless", "--no-remote", "--remote-debugging-port=0", "--profile", profile],
            env={**os.environ, **({"VK_ICD_FILENAMES": str(driver)} if webgpu and driver else {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        try:
            with connect(f"{_address(process)}/session", max_size=None, compression=None) as socket:
                yield _open(socket)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _open(socket: ClientConnection) -> FirefoxPage:
    page = FirefoxPage(socket, "", "")
    page.version = page.send("session.new", capabilities={})["capabilities"]["browserVersion"]
    page.send("session.subscribe", events=["log.entryAdded"])
    page.context = page.send("browsingContext.getTree")["contexts"][0]["context"]
    return page


def _address(process: subprocess.Popen[str]) -> str:
    """Read where the browser listens; the rest that it writes is thrown away, so that it never waits for a reader."""
    assert process.stderr is not None
    said = []
    for line in process.stderr:
        said.append(line)
        if found := _LISTENING.search(line):
            threading.Thread(target=process.stderr.read, daemon=True).start()
            return found[1]
    raise BidiError(f"Firefox did not start: {' '.join(said)[-500:]}")
