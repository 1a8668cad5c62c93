"""The interface of a driven browser: a name, a version, and pages in a profile of their own."""

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
"""The backends of a browser that are measured unless others are named: WebKitGTK has no WebGPU."""


class DrivenPage(Protocol):
    """What driving a page takes of it, in Playwright's words. See `driver_errors` for what it raises."""

    def goto(self, url: str, /) -> object:
        """Go to an address and wait until it has loaded."""

    def evaluate(self, function: str, argument: Any = None, /) -> Any:
        """Call a function in the page with a value, and return what its promise comes to."""

    def wait_for_function(self, function: str, /) -> object:
        """Wait until a function of the page returns something true."""


class DrivenBrowser(Protocol):
    """A running browser."""

    @property
    def name(self) -> str:
        """Its name, as people write it."""

    @property
    def version(self) -> str:
        """Its version, as it says itself."""

    @property
    def description(self) -> str:
        """Which one it is: the executable and why that one, or its address."""

    @property
    def is_running(self) -> bool:
        """Whether the browser process still runs."""

    def page(self) -> AbstractContextManager[tuple[DrivenPage, Console]]:
        """Open a page in a profile of its own, with everything it says; closed after the block.

        Raises:
            WebbuildError: `browser-disconnected`.
        """


def browser_title(browser: DrivenBrowser) -> str:
    """Return name and version: `Firefox 153.8.0`."""
    return f"{browser.name} {browser.version}"
