"""A page in Chromium that runs models on one build of onnxruntime-web."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from webbuild.browser.chromium import PAGE_TIMEOUT, BrowserHandle
from webbuild.browser.command_page import open_command_page
from webbuild.browser.page_assets import load_page_assets
from webbuild.browser.server import Server
from webbuild.errors import USAGE, WebbuildError
from webbuild.ortweb.build import OrtWebBuild

if TYPE_CHECKING:
    from playwright.sync_api import Page


BASE_PATH = "/models/"


class PageDiedError(Exception):
    """The page, not the model, is gone."""


class BuildPage:
    """The page: opened when it is first asked, and again after a crash.

    Args:
        chromium: the browser.
        build: what runs the models.
        server: has the page and the build at `BASE_PATH`.
    """

    def __init__(self, chromium: BrowserHandle, build: OrtWebBuild, server: Server) -> None:
        self.chromium, self.build, self.server = chromium, build, server
        self._page: Page | None = None

    def call(self, command: str, **arguments: Any) -> Any:
        """Return what a command of the page answers.

        Raises:
            PageDiedError: the next call opens another page.
            WebbuildError: `engine-failed`, `chromium-crashed`, `page-not-loaded`.
        """
        from playwright.sync_api import Error

        try:
            answer = self.open().evaluate("request => globalThis.webbuild(request)", {"command": command, **arguments})
        except Error as error:
            self.close()
            self._check_browser(error)
            raise PageDiedError(error.message.splitlines()[0]) from error
        if "error" not in answer:
            return answer.get("value")
        self.close()
        message = answer["error"]["message"].partition("\n")[0]
        if "the engine did not start" in message:
            raise WebbuildError(
                "engine-failed",
                f"{self.build.target.name}: {message}",
                "check the build in this browser; see `webbuild verify`",
                exit_code=USAGE,
            )
        raise PageDiedError(message)

    def close(self) -> None:
        """Close the page; the next call opens another."""
        if self._page is not None:
            with suppress(Exception):  # a page that crashed may not close
                self._page.context.close()
        self._page = None

    def open(self) -> Page:
        """Return the page.

        Raises:
            PageDiedError: it crashed while it loaded.
            WebbuildError: `chromium-crashed`, `page-not-loaded`.
        """
        if self._page is None:
            self._page = self._new_page()
            crashes: list[object] = []
            self._page.on("crash", lambda page: crashes.append(page))  # Playwright marks the function
            try:
                open_command_page(self._page, f"{self.server.origin}{BASE_PATH}index.html")
            except WebbuildError as error:
                self.close()
                self._check_browser(error)
                if crashes:
                    raise PageDiedError("the page crashed while it loaded") from error
                raise
        return self._page

    def _new_page(self) -> Page:
        context = self.chromium.browser.new_context()
        context.set_default_timeout(PAGE_TIMEOUT * 1000)
        return context.new_page()

    def _check_browser(self, error: Exception) -> None:
        if not self.chromium.browser.is_connected():
            raise WebbuildError(
                "chromium-crashed", "chromium: it crashed while models ran", "go on with --resume"
            ) from error


@contextmanager
def open_build_page(chromium: BrowserHandle, build: OrtWebBuild, package: str, script: str) -> Iterator[BuildPage]:
    """Serve a build and the page of a package that runs models on it, for a block."""
    assets = load_page_assets(package, (script, "worker.js"), BASE_PATH)
    virtual = {**assets, **build.virtual_files(BASE_PATH)}
    with TemporaryDirectory() as root, Server(Path(root), virtual=virtual) as server:
        page = BuildPage(chromium, build, server)
        try:
            yield page
        finally:
            page.close()
