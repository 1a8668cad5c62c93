"""The WebDriver client: a browser that does not start in time is started a second time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread

import pytest

from webbuild.browser import webdriver
from webbuild.browser.driver_error import DriverTimeoutError
from webbuild.browser.webdriver import WebDriver


@contextmanager
def silent_driver(silent_starts: int) -> Iterator[tuple[WebDriver, list[str]]]:
    """Run a driver that does not answer its first session requests; yield the commands that it received."""
    commands: list[str] = []
    done = Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            commands.append(self.path)
            if len(commands) <= silent_starts:
                done.wait()
                return
            self._answer({"sessionId": "one", "capabilities": {"browserVersion": "2.50"}})

        def do_DELETE(self) -> None:
            self._answer(None)

        def _answer(self, value: object) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps({"value": value}).encode())

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield WebDriver(f"http://127.0.0.1:{server.server_port}", {}), commands
    finally:
        done.set()
        server.shutdown()
        server.server_close()


def test_a_browser_that_never_comes_is_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webdriver, "_START_SECONDS", 0.5)
    with silent_driver(1) as (driver, commands):
        assert driver.version() == "2.50"
        assert commands == ["/session", "/session"]


def test_but_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webdriver, "_START_SECONDS", 0.5)
    with silent_driver(2) as (driver, commands):
        with pytest.raises(DriverTimeoutError, match="/session: no answer within"):
            driver.version()
        assert commands == ["/session", "/session"]
