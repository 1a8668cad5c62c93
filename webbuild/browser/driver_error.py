"""Errors of a driven page: Playwright's, and those of webbuild's own drivers."""

from __future__ import annotations

from webbuild.errors import USAGE, WebbuildError


class DriverError(Exception):
    """The browser refused a command, a function threw in its page, or the browser is gone."""


class DriverTimeoutError(DriverError):
    """The browser did not answer in time."""


def driver_errors() -> tuple[type[Exception], ...]:
    """Return the exceptions that methods of a page raise, for every browser."""
    from playwright.sync_api import Error

    return Error, DriverError


def first_line(error: Exception) -> str:
    """Return the first line of an error's message."""
    return next(iter(str(error).splitlines()), type(error).__name__)


def no_page_error(browser: str, error: Exception) -> WebbuildError:
    """Return the error for a browser, by its handle's description, that cannot open a page."""
    return WebbuildError(
        "browser-disconnected",
        f"{browser}: opens no page: {first_line(error)}",
        "see whether it still runs, and start it again",
        exit_code=USAGE,
    )
