"""The best arithmetic there is, and what the better ones lack."""

from __future__ import annotations

import pytest

from webbuild.browser.chromium import chromium
from webbuild.precision.arithmetic import choose_arithmetic, in_browser, on_dawn
from webbuild.precision.arithmetic.emulated import Emulated


def test_a_browser_with_float16_is_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    best = Emulated()
    monkeypatch.setattr(in_browser, "in_chromium", lambda _: best)
    assert choose_arithmetic() is best


def test_dawn_is_told_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_browser, "in_chromium", lambda _: "its adapter has no shader-f16")
    monkeypatch.setattr(on_dawn, "on_dawn", Emulated)
    assert choose_arithmetic().why == "Chromium: its adapter has no shader-f16"


def test_the_emulation_is_there_when_nothing_else_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_dawn, "on_dawn", lambda _: "there is no Node.js")
    found = choose_arithmetic(browser=False)
    assert (found.name, found.why) == ("emulated", "Chromium: it was not asked; Dawn for Node: there is no Node.js")


@pytest.mark.browser
def test_swiftshader_has_no_float16() -> None:
    with chromium() as opened:
        found = in_browser.in_chromium(opened)
        assert found == "its adapter, google swiftshader, has no shader-f16"
        assert opened.browser.is_connected()
