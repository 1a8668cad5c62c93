"""The interface of a driven browser: a name, a version, and pages in separate profiles."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any, Literal, Protocol

from webbuild.browser.console import Console

BrowserName = Literal["chromium", "firefox", "webkit"]

BACKENDS: dict[BrowserName, tuple[str, ...]] = {
    "chromium": ("webgpu", "wasm"),
    "firefox": ("webgpu", "wasm"),
    "webkit": ("wasm",),
}
"""The backends that are measured in a browser by default: WebKitGTK has no WebGPU."""


class DrivenPage(Protocol):
    """The methods of Playwright's page that webbuild uses. See `driver_errors` for their exceptions."""

    def goto(self, url: str, /) -> object:
        """Go to an address and wait until it has loaded."""

    def evaluate(self, function: str, argument: Any = None, /) -> Any:
        """Call a function in the page with an argument, and return the awaited result."""

    def wait_for_function(self, function: str, /) -> object:
        """Wait until a function in the page returns a truthy value."""


class DrivenBrowser(Protocol):
    """A running browser."""

    @property
    def name(self) -> str:
        """The name of the browser for people."""

    @property
    def version(self) -> str:
        """The version that the browser reports."""

    @property
    def description(self) -> str:
        """The executable and why it was chosen, or the address."""

    @property
    def is_running(self) -> bool:
        """Whether the browser process still runs."""

    def page(self) -> AbstractContextManager[tuple[DrivenPage, Console]]:
        """Open a page in a separate profile, with its console messages; a context manager that closes it.

        Raises:
            WebbuildError: `browser-disconnected`.
        """


def browser_title(browser: DrivenBrowser) -> str:
    """Return name and version: `Firefox 153.8.0`."""
    return f"{browser.name} {browser.version}"
