"""All backends in one browser, here or elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.open_browser import LOCAL, Endpoint, open_browser
from webbuild.browser.server import Server
from webbuild.errors import WebbuildError
from webbuild.verify.report import BackendRun, problem_of


class BrowserRun(Struct, frozen=True):
    """The browser and its version, where it is, and what each backend did in it."""

    browser: str
    path: str
    runs: tuple[BackendRun, ...]


def run_all_backends(
    endpoint: Endpoint, server: Server, backends: Sequence[str], run: Callable[[BrowserHandle, str], BackendRun]
) -> BrowserRun | WebbuildError:
    """Run every backend; return the error of a browser that there is no way to.

    In a browser elsewhere an error of one backend, such as one that is gone, is its problem. Here it stops the command.

    Raises:
        WebbuildError: see `run_backend`, of a browser that is started here.
    """
    try:
        with open_browser(endpoint, server) as browser:
            runs = tuple(_try_backend(endpoint, browser, backend, run) for backend in backends)
            return BrowserRun(f"Chromium {browser.version}", browser.description, runs)
    except WebbuildError as error:
        if endpoint.url == LOCAL:
            raise
        return error


def _try_backend(
    endpoint: Endpoint, browser: BrowserHandle, backend: str, run: Callable[[BrowserHandle, str], BackendRun]
) -> BackendRun:
    try:
        return run(browser, backend)
    except WebbuildError as error:
        if endpoint.url == LOCAL:
            raise
        return BackendRun(backend=backend, problems=(problem_of(error, backend),))
