"""Remote calls of a page: commands by name, their results, and the files served to them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from numpy.typing import NDArray

from webbuild.browser.command_page import open_command_page
from webbuild.browser.driven_browser import DrivenPage
from webbuild.browser.driver_error import driver_errors, first_line
from webbuild.browser.media_types import media_type
from webbuild.browser.page_assets import load_page_assets
from webbuild.browser.server import Server
from webbuild.browser.tensor_transfer import to_little_endian_bytes
from webbuild.runners.tensors import Tensors
from webbuild.verify.page_messages import RuntimeFailure

T = TypeVar("T")

URL_PREFIX = "/__webbuild__/"
"""URL prefix of the driven page and its input files: no path of a bundle starts with it."""


class PageError(Exception):
    """An error of the runtime or the page. It is not a `WebbuildError`, because it is a finding about the bundle."""

    def __init__(self, failure: RuntimeFailure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class PageRpc:
    """Calls the commands of one page.

    Args:
        page: an empty page.
        server: serves the bundle at its root; the page and its input files are added to its virtual files.
        seconds: the time limit of each step.
        package: the package with the page in its folder `page`.
        scripts: the page's scripts; the first one handles calls.

    Raises:
        WebbuildError: `page-not-loaded`.
    """

    def __init__(self, page: DrivenPage, server: Server, seconds: float, package: str, scripts: Sequence[str]) -> None:
        self._page, self._server, self._seconds = page, server, seconds
        server.virtual.update(load_page_assets(package, scripts, URL_PREFIX))
        open_command_page(page, f"{server.origin}{URL_PREFIX}index.html")

    def upload(self, feeds: Tensors) -> list[dict[str, Any]]:
        """Serve tensors, and return their descriptions for the page's commands."""
        return [
            {"name": name, "type": value.dtype.name, "dims": list(value.shape), "url": self._serve(i, value)}
            for i, (name, value) in enumerate(feeds.items())
        ]

    def upload_images(self, pictures: Sequence[Path]) -> list[str]:
        """Serve pictures, and return their addresses."""
        paths = [f"{URL_PREFIX}picture-{index}{picture.suffix.lower()}" for index, picture in enumerate(pictures)]
        for path, picture in zip(paths, pictures, strict=True):
            self._server.virtual[path] = (media_type(picture.name), picture.read_bytes())
        return paths

    def call(self, command: str, kind: type[T] | Any, **arguments: Any) -> T:
        """Call a command and return its result. Raises PageError."""
        try:
            answer = self._page.evaluate(
                "request => globalThis.webbuild(request)",
                {"command": command, "limit": self._seconds, **arguments},
            )
        except driver_errors() as error:
            raise PageError(RuntimeFailure("page-failed", first_line(error), "")) from error
        if "error" in answer:
            raise PageError(msgspec.convert(answer["error"], RuntimeFailure))
        return msgspec.convert(answer.get("value"), kind)

    def _serve(self, index: int, value: NDArray[Any]) -> str:
        path = f"{URL_PREFIX}feed-{index}.bin"
        self._server.virtual[path] = ("application/octet-stream", to_little_endian_bytes(value))
        return path
