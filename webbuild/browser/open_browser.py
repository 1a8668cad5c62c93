"""Connection to a browser: started on this machine, behind a Playwright server, or behind a DevTools port."""

from __future__ import annotations

import json
import shutil
import subprocess
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from msgspec import Struct

from webbuild.browser.chromium import BrowserHandle, open_chromium
from webbuild.browser.driven_browser import BACKENDS, BrowserName, DrivenBrowser
from webbuild.browser.firefox import open_firefox
from webbuild.browser.host_names import LOOPBACK
from webbuild.browser.require_playwright import require_playwright
from webbuild.browser.server import Server
from webbuild.browser.webkit import open_webkit
from webbuild.errors import USAGE, WebbuildError

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Playwright

_TIMEOUT = 20
LOCAL = ""
_TITLES: dict[BrowserName, str] = {"chromium": "Chromium", "firefox": "Firefox", "webkit": "WebKit"}


class Endpoint(Struct, frozen=True):
    """A browser: `url` is `ws://` of a Playwright server or `http://` of a DevTools port; empty for a local browser.

    `public_url` is the address at which its pages reach this server, if webbuild cannot arrange that. `browser` is the
    local browser to start; remote browsers are Chromium.
    """

    url: str = LOCAL
    public_url: str = ""
    browser: BrowserName = "chromium"

    @property
    def title(self) -> str:
        """The name in tables: `Firefox here`."""
        return self.url or f"{_TITLES[self.browser]} here"

    @property
    def backends(self) -> tuple[str, ...]:
        """The backends that are measured in it by default."""
        return BACKENDS[self.browser]

    @property
    def kind(self) -> str:
        """`local`, `playwright` or `cdp` (a DevTools port, or a WebSocket URL that it returned)."""
        if not self.url:
            return "local"
        over_http = urlsplit(self.url).scheme in ("http", "https")
        return "cdp" if over_http or "/devtools/" in self.url else "playwright"


def parse_endpoints(endpoints: Sequence[str], public: str = "", browsers: Sequence[BrowserName] = ()) -> list[Endpoint]:
    """Return the local browsers, then the remote endpoints; a local Chromium if there are none.

    Raises:
        WebbuildError: `invalid-endpoint` for an invalid address, `not-loopback` for a public address without TLS.
    """
    for endpoint in endpoints:
        if urlsplit(endpoint).scheme not in ("ws", "wss", "http", "https") or not urlsplit(endpoint).hostname:
            raise WebbuildError(
                "invalid-endpoint",
                f"{endpoint}: not the address of a browser",
                "give ws://HOST:PORT/... of `playwright launch-server`, or http://HOST:PORT of --remote-debugging-port",
                exit_code=USAGE,
            )
    seen = urlsplit(public)
    if public and (seen.path not in ("", "/") or not seen.hostname):
        fix = "give scheme, host and port, as in https://desk.example:8443"
        raise WebbuildError("invalid-endpoint", f"{public}: not the address of a host", fix, exit_code=USAGE)
    if public and seen.scheme != "https" and (seen.scheme != "http" or seen.hostname not in LOOPBACK):
        raise WebbuildError(
            "not-loopback",
            f"{public}: a page from there has no WebGPU without TLS",
            "give an https:// address, or forward the port and give http://localhost:PORT",
            exit_code=USAGE,
        )
    here = [Endpoint(LOCAL, public, browser) for browser in dict.fromkeys(browsers)]
    return [*here, *(Endpoint(endpoint, public) for endpoint in endpoints)] or [Endpoint(LOCAL, public)]


def open_local_browser(
    name: BrowserName, *, webgpu: bool = True, extra: Sequence[str] = ()
) -> AbstractContextManager[DrivenBrowser]:
    """Start a local browser; a context manager. `webgpu` enables WebGPU if it has it; `extra` are flags for Chromium.

    Raises:
        WebbuildError: see `open_chromium`, `open_firefox` and `open_webkit`.
    """
    if name == "chromium":
        return open_chromium(webgpu=webgpu, extra=extra)
    return open_firefox(webgpu=webgpu) if name == "firefox" else open_webkit()


@contextmanager
def open_browser(endpoint: Endpoint, server: Server, extra: Sequence[str] = ()) -> Iterator[DrivenBrowser]:
    """Open a browser whose pages reach `server` at its `url`; a context manager. `extra` are flags of a local Chromium.

    Raises:
        WebbuildError: `no-playwright`, `cannot-connect`, `endpoint-unreachable`, `no-adb`; see `open_chromium`,
            `open_firefox` and `open_webkit`.
    """
    server.set_public_url(endpoint.public_url)
    if endpoint.kind == "local":
        with open_local_browser(endpoint.browser, extra=extra) as browser:
            yield browser
        return
    require_playwright()
    from playwright.sync_api import Error, sync_playwright

    way = expose_server(endpoint, server)
    with sync_playwright() as playwright:
        try:
            connected = _connect_browser(playwright, endpoint)
        except Error as error:
            raise WebbuildError(
                "cannot-connect",
                f"{endpoint.url}: {error.message.strip().splitlines()[0]}",
                f"check that it runs and that this machine can reach it; a Playwright server must have version "
                f"{_playwright_version()}",
                exit_code=USAGE,
            ) from error
        yield BrowserHandle(connected, None, f"{endpoint.url}, {way}", connected.version)


def expose_server(endpoint: Endpoint, server: Server) -> str:
    """Make the server reachable for the browser's pages, and return a description of the way.

    Raises:
        WebbuildError: `endpoint-unreachable`, `no-adb`.
    """
    if endpoint.public_url:
        return f"its pages come from {endpoint.public_url}"
    if endpoint.kind == "playwright":
        return "its pages come through Playwright's expose_network"
    port = urlsplit(server.url).port
    if _is_android(endpoint.url):
        _adb_reverse(port)
        return f"its pages come through `adb reverse tcp:{port} tcp:{port}`"
    if urlsplit(endpoint.url).hostname in LOOPBACK:
        return "its pages come from this machine"
    raise WebbuildError(
        "endpoint-unreachable",
        f"{endpoint.url}: the browser there cannot reach this machine's localhost",
        f"forward a port, such as `ssh -R 8000:localhost:8000 {urlsplit(endpoint.url).hostname}`, and add "
        "--port 8000 --public-url http://localhost:8000",
        exit_code=USAGE,
    )


def _connect_browser(playwright: Playwright, endpoint: Endpoint) -> Browser:
    if endpoint.kind == "cdp":
        return playwright.chromium.connect_over_cdp(endpoint.url, timeout=_TIMEOUT * 1000)
    exposed = None if endpoint.public_url else "<loopback>"
    return playwright.chromium.connect(endpoint.url, timeout=_TIMEOUT * 1000, expose_network=exposed)


def _is_android(endpoint: str) -> bool:
    parts = urlsplit(endpoint)
    scheme = {"ws": "http", "wss": "https"}.get(parts.scheme, parts.scheme)
    try:
        with urllib.request.urlopen(f"{scheme}://{parts.netloc}/json/version", timeout=_TIMEOUT) as answer:
            return "Android-Package" in json.load(answer)
    except (OSError, ValueError):  # connecting raises the error
        return False


def _adb_reverse(port: int | None) -> None:
    fix = "install Android's platform tools, allow debugging on the phone, and name one of several in ANDROID_SERIAL"
    adb = shutil.which("adb")
    if adb is None:
        raise WebbuildError("no-adb", "adb: not found; a phone reaches this server through adb", fix, exit_code=USAGE)
    done = subprocess.run(
        [adb, "reverse", f"tcp:{port}", f"tcp:{port}"],
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=_TIMEOUT,
        check=False,
    )
    if done.returncode:
        raise WebbuildError("no-adb", f"adb reverse: {done.stderr.strip()[:300]}", fix, exit_code=USAGE)


def _playwright_version() -> str:
    from importlib.metadata import version

    return version("playwright")
