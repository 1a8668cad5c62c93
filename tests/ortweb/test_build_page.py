"""A build's page that does not load is closed and reported as such."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest
from playwright.sync_api import Browser as Chromium
from playwright.sync_api import Error

from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.server import Server
from webbuild.errors import WebbuildError
from webbuild.ortweb.build import OrtWebBuild
from webbuild.ortweb.build_page import BuildPage, PageDiedError


class Browser:
    """A fake browser, context and page in one; what the page does on loading is given."""

    def __init__(self, *, load: str) -> None:
        self.load, self.opened, self.closed, self.timeout = load, 0, 0, 0.0
        self.crashed: Callable[[object], None] = lambda _: None

    url = "http://localhost/models/index.html"

    @property
    def context(self) -> Browser:
        return self

    def new_context(self) -> Browser:
        return self

    def new_page(self) -> Browser:
        self.opened += 1
        return self

    def set_default_timeout(self, timeout: float) -> None:
        self.timeout = timeout

    def on(self, event: str, listener: Callable[[object], None]) -> None:
        if event == "crash":
            self.crashed = listener

    def goto(self, url: str) -> None:
        if self.load == "page crashes":
            self.crashed(self)
        raise Error(f"Page.goto: {self.load}")

    def is_connected(self) -> bool:
        return self.load != "browser crashes"

    def evaluate(self, *_: Any) -> Any:
        raise AssertionError("a page that did not load was asked")

    def close(self) -> None:
        self.closed += 1


@pytest.mark.parametrize(
    ("load", "expected"),
    [
        ("timeout", "page-not-loaded"),
        ("browser crashes", "chromium-crashed"),
        ("page crashes", "the page crashed while it loaded"),
    ],
)
def test_a_page_that_does_not_load_is_closed_and_opened_again(load: str, expected: str) -> None:
    browser = Browser(load=load)
    server = SimpleNamespace(origin="http://localhost")
    handle = BrowserHandle(cast("Chromium", browser), None, "of the test", "1")
    page = BuildPage(handle, cast("OrtWebBuild", None), cast("Server", server))
    for turn in (1, 2):
        with pytest.raises((WebbuildError, PageDiedError)) as caught:
            page.call("run")
        assert expected in (getattr(caught.value, "code", None), str(caught.value))
        assert (browser.opened, browser.closed, browser.timeout) == (turn, turn, 120_000)
