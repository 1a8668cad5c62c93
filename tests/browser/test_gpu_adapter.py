"""If the machine's own GPU was requested and is missing, nothing is measured."""

from __future__ import annotations

import pytest

from webbuild.browser.gpu_adapter import adapter_name, require_own_gpu
from webbuild.errors import WebbuildError

OWN = {"WEBBUILD_GPU": "real"}


@pytest.mark.parametrize("adapter", ["google swiftshader", "llvmpipe: Mesa 25.0.7"])
def test_an_adapter_that_computes_on_the_cpu_is_not_the_machines_own(adapter: str) -> None:
    require_own_gpu(adapter, "Chromium", {})
    with pytest.raises(WebbuildError, match=f"chromium: WEBBUILD_GPU=real .*{adapter}") as caught:
        require_own_gpu(adapter, "Chromium", OWN)
    assert (caught.value.code, caught.value.exit_code) == ("no-adapter", 2)


@pytest.mark.parametrize("adapter", ["nvidia", ""])
def test_any_other_is(adapter: str) -> None:
    require_own_gpu(adapter, "Chromium", OWN)


def test_a_page_is_asked_by_its_adapters_name(monkeypatch: pytest.MonkeyPatch) -> None:
    fields = {"vendor": "google", "architecture": "swiftshader"}
    assert adapter_name(fields, "Chromium") == "google swiftshader"
    monkeypatch.setenv("WEBBUILD_GPU", "real")
    with pytest.raises(WebbuildError, match="computes on the CPU"):
        adapter_name(fields, "Chromium")
