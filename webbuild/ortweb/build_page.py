"""A page in a browser that runs models on one build of onnxruntime-web."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from webbuild.browser.command_page import open_command_page
from webbuild.browser.console import Console
from webbuild.browser.driven_browser import DrivenBrowser, DrivenPage
from webbuild.browser.driver_error import driver_errors, first_line
from webbuild.browser.page_assets import load_page_assets
from webbuild.browser.server import Server
from webbuild.errors import USAGE, WebbuildError
from webbuild.ortweb.build import OrtWebBuild

BASE_PATH = "/models/"


class PageDiedError(Exception):
    """The page crashed or was closed: a failure of the page, not of the model."""


class BuildPage:
    """The page: opened at the first call, and again after a crash.

    Args:
        browser: the browser of the page.
        build: the build that runs the models.
        server: serves the page and the build at `BASE_PATH`.
    """

    def __init__(self, browser: DrivenBrowser, build: OrtWebBuild, server: Server) -> None:
        self.browser, self.build, self.server = browser, build, server
        self._page: DrivenPage | None = None
        self._opened = ExitStack()

    def call(self, command: str, **arguments: Any) -> Any:
        """Return the result of a command of the page.

        Raises:
            PageDiedError: the page crashed; the next call opens another page.
            WebbuildError: `engine-failed`, `chromium-crashed`, `page-not-loaded`.
        """
        try:
            answer = self.open().evaluate("request => globalThis.webbuild(request)", {"command": command, **arguments})
        except driver_errors() as error:
            self.close()
            self._check_browser(error)
            raise PageDiedError(first_line(error)) from error
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
        with suppress(Exception):  # a page that crashed may not close
            self._opened.close()
        self._page = None

    def open(self) -> DrivenPage:
        """Return the page.

        Raises:
            PageDiedError: the page crashed while it loaded.
            WebbuildError: `chromium-crashed`, `browser-disconnected`, `page-not-loaded`.
        """
        if self._page is None:
            self._page, console = self._opened.enter_context(self.browser.page())
            try:
                open_command_page(self._page, f"{self.server.origin}{BASE_PATH}index.html")
            except WebbuildError as error:
                self.close()
                self._check_browser(error)
                if _has_crashed(console):
                    raise PageDiedError("the page crashed while it loaded") from error
                raise
        return self._page

    def _check_browser(self, error: Exception) -> None:
        if not self.browser.is_running:
            raise WebbuildError(
                "chromium-crashed",
                f"{self.browser.name.lower()}: it crashed while models ran",
                "go on with --resume",
            ) from error


def _has_crashed(console: Console) -> bool:
    return any(message.kind == "crash" for message in console.messages)


@contextmanager
def open_build_page(browser: DrivenBrowser, build: OrtWebBuild, package: str, script: str) -> Iterator[BuildPage]:
    """Serve a build and the page of a package that runs models on it; a context manager."""
    assets = load_page_assets(package, (script, "worker.js"), BASE_PATH)
    virtual = {**assets, **build.virtual_files(BASE_PATH)}
    with TemporaryDirectory() as root, Server(Path(root), virtual=virtual) as server:
        page = BuildPage(browser, build, server)
        try:
            yield page
        finally:
            page.close()
