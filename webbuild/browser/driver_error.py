"""Errors of a driven page: Playwright's, and those of webbuild's own drivers."""

from __future__ import annotations

from webbuild.errors import USAGE, WebbuildError


class DriverError(Exception):
    """The browser refused a command, a function threw in its page, or the browser is gone."""


class DriverTimeoutError(DriverError):
    """The browser did not answer in time."""


def driver_errors() -> tuple[type[Exception], ...]:
    """Return what to catch around the calls of a page, whichever browser it is of."""
    from playwright.sync_api import Error

    return Error, DriverError


def first_line(error: Exception) -> str:
    """Return the first line of what an error says."""
    return next(iter(str(error).splitlines()), type(error).__name__)


def no_page_error(browser: str, error: Exception) -> WebbuildError:
    """The error of a browser, as its handle describes it, that opens no page."""
    return WebbuildError(
        "browser-disconnected",
        f"{browser}: opens no page: {first_line(error)}",
        "see whether it still runs, and start it again",
        exit_code=USAGE,
    )
