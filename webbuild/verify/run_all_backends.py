"""All backends in one browser, here or elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from webbuild.browser.driven_browser import DrivenBrowser, browser_title
from webbuild.browser.open_browser import Endpoint, open_browser
from webbuild.browser.server import Server
from webbuild.errors import WebbuildError
from webbuild.verify.report import BackendRun, problem_of


class BrowserRun(Struct, frozen=True):
    """The browser and its version, where it is, and what each backend did in it."""

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
    """Run every backend; return the error of a browser that there is no way to.

    An error of one backend, such as one that is gone, is its problem. Where it `stops`, it stops the command.

    Raises:
        WebbuildError: see `run_backend`, where it `stops`.
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
