"""All backends in one browser, here or elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from webbuild.browser.chromium import Chromium
from webbuild.browser.places import HERE, Place, opened
from webbuild.browser.server import Server
from webbuild.errors import WebbuildError
from webbuild.verify.backend import not_run
from webbuild.verify.report import BackendRun


class InBrowser(Struct, frozen=True):
    """The browser and its version, where it is, and what each backend did in it."""

    browser: str
    path: str
    runs: tuple[BackendRun, ...]


def in_browser(
    place: Place, server: Server, backends: Sequence[str], run: Callable[[Chromium, str], BackendRun]
) -> InBrowser | WebbuildError:
    """Run every backend; return the error of a browser that there is no way to.

    In a browser elsewhere an error of one backend, such as one that is gone, is its problem. Here it stops the command.

    Raises:
        WebbuildError: see `run_backend`, of a browser that is started here.
    """
    try:
        with opened(place, server) as browser:
            runs = tuple(_tried(place, browser, backend, run) for backend in backends)
            return InBrowser(f"Chromium {browser.version}", browser.described, runs)
    except WebbuildError as error:
        if place.endpoint == HERE:
            raise
        return error


def _tried(place: Place, browser: Chromium, backend: str, run: Callable[[Chromium, str], BackendRun]) -> BackendRun:
    try:
        return run(browser, backend)
    except WebbuildError as error:
        if place.endpoint == HERE:
            raise
        return not_run(backend, error)
