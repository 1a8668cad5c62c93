"""A page that takes commands: open it, and wait until its script is ready."""

from __future__ import annotations

from webbuild.browser.driven_browser import DrivenPage
from webbuild.browser.driver_error import driver_errors, first_line
from webbuild.errors import USAGE, WebbuildError


def open_command_page(page: DrivenPage, url: str) -> None:
    """Go to a page and wait until it takes commands.

    Raises:
        WebbuildError: `page-not-loaded`.
    """
    try:
        page.goto(url)
        page.wait_for_function("() => globalThis.webbuild !== undefined")
    except driver_errors() as error:
        raise WebbuildError(
            "page-not-loaded",
            f"{url}: the browser did not load webbuild's page: {first_line(error)}",
            "on a busy machine end other programs and run the command again; with --public-url, check that the "
            "address leads to this command",
            exit_code=USAGE,
        ) from error
