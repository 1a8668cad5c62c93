"""A page that does not load is an error of the machine or of the address, not a bug."""

from __future__ import annotations

import pytest
from playwright.sync_api import Error
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from webbuild.browser.command_page import open_command_page
from webbuild.errors import USAGE, WebbuildError

ADDRESS = "http://localhost:1/index.html"


class FailingPage:
    """A page that loads and never listens, or that does not load."""

    def __init__(self, error: Error, *, loads: bool) -> None:
        self._error, self._loads = error, loads

    def goto(self, url: str, /) -> None:
        if not self._loads:
            raise self._error

    def evaluate(self, function: str, argument: object = None, /) -> None:
        raise self._error

    def wait_for_function(self, function: str, /) -> None:
        raise self._error


@pytest.mark.parametrize(
    ("error", "loads"),
    [
        (PlaywrightTimeout("Page.wait_for_function: Timeout 30000ms exceeded."), True),
        (PlaywrightTimeout("Page.goto: Timeout 30000ms exceeded.\nCall log:"), False),
        (Error("Page.goto: net::ERR_CONNECTION_REFUSED\nCall log:"), False),
    ],
    ids=["the script does not listen", "the page does not load", "nobody answers"],
)
def test_a_page_that_does_not_load_is_told(error: Error, loads: bool) -> None:
    with pytest.raises(WebbuildError) as caught:
        open_command_page(FailingPage(error, loads=loads), ADDRESS)
    assert (caught.value.code, caught.value.exit_code) == ("page-not-loaded", USAGE)
    assert caught.value.message.startswith(f"{ADDRESS}: ")
    assert error.message.splitlines()[0] in caught.value.message
    assert "\n" not in caught.value.message
