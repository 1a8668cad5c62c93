"""Runs all backends in one browser, local or remote."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from webbuild.browser.driven_browser import DrivenBrowser, browser_title
from webbuild.browser.open_browser import Endpoint, open_browser
from webbuild.browser.server import Server
from webbuild.errors import WebbuildError
from webbuild.verify.report import BackendRun, problem_of


class BrowserRun(Struct, frozen=True):
    """The browser with its version, its path or address, and the run of each backend."""

    browser: str
    path: str
    runs: tuple[BackendRun, ...]


def run_all_backends(
    endpoint: Endpoint,
    server: Server,
    backends: Sequence[str],
    run: Callable[[DrivenBrowser, str], BackendRun],
    *,
    stops: bool,
) -> BrowserRun | WebbuildError:
    """Run every backend; return an error if the browser cannot be reached.

    With `stops`, every error is raised. Otherwise the error of one backend becomes a problem in its run.

    Raises:
        WebbuildError: with `stops`, what `run_backend` raises.
    """
    try:
        with open_browser(endpoint, server) as browser:
            runs = tuple(_try_backend(browser, backend, run, stops=stops) for backend in backends)
            return BrowserRun(browser_title(browser), browser.description, runs)
    except WebbuildError as error:
        if stops:
            raise
        return error


def _try_backend(
    browser: DrivenBrowser, backend: str, run: Callable[[DrivenBrowser, str], BackendRun], *, stops: bool
) -> BackendRun:
    try:
        return run(browser, backend)
    except WebbuildError as error:
        if stops:
            raise
        return BackendRun(backend=backend, problems=(problem_of(error, backend),))
