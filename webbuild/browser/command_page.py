"""A page that answers commands: opened, and waited for until its script listens."""

from __future__ import annotations

from typing import Protocol

from webbuild.errors import USAGE, WebbuildError


class Loads(Protocol):
    """What opening a page takes of it, in Playwright's words."""

    def goto(self, url: str, /) -> object:
        """Go to an address and wait until it has loaded."""

    def wait_for_function(self, function: str, /) -> object:
        """Wait until a function of the page returns something true."""


def open_command_page(page: Loads, url: str) -> None:
    """Go to a page and wait until it takes commands.

    Raises:
        WebbuildError: `page-not-loaded`.
    """
    from playwright.sync_api import Error

    try:
        page.goto(url)
        page.wait_for_function("() => globalThis.webbuild !== undefined")
    except Error as error:
        raise WebbuildError(
            "page-not-loaded",
            f"{url}: the browser did not load webbuild's page: {error.message.splitlines()[0]}",
            "on a busy machine end other programs and run the command again; with --public-url, check that the "
            "address leads to this command",
            exit_code=USAGE,
        ) from error
