"""The best available float16 arithmetic, and why better ones are unavailable."""

from __future__ import annotations

import pytest

from benchmarks.lavapipe.browser import adapter_features
from webbuild.browser.chromium import open_chromium
from webbuild.precision.fp16_backends import chromium, select_backend
from webbuild.precision.fp16_backends.chromium import SessionFp16
from webbuild.precision.fp16_backends.emulation import EmulatedFp16


def test_a_browser_with_float16_is_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    best = EmulatedFp16()
    monkeypatch.setattr(chromium, "chromium_backend", lambda _: best)
    assert select_backend() is best


def test_the_emulation_is_there_when_nothing_else_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chromium, "chromium_backend", lambda _: "its adapter has no shader-f16")
    found = select_backend()
    assert (found.name, found.reason) == ("emulated", "Chromium: its adapter has no shader-f16")
    assert select_backend(browser=False).reason == "Chromium: not used"


@pytest.mark.browser
def test_chromium_computes_where_its_adapter_has_float16_and_says_so_where_not() -> None:
    with open_chromium() as opened:
        found = chromium.chromium_backend(opened)
        if "shader-f16" in adapter_features(opened):
            assert isinstance(found, SessionFp16)
            assert found.reason.endswith("has shader-f16")
            found.close()
        else:
            assert found == "its adapter, google swiftshader, has no shader-f16"
        assert opened.browser.is_connected()
