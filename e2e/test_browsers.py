"""`--browser`: several local browsers compared in one table; WebGPU in Firefox, also in half precision."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from e2e.conftest import Webbuild
from tests.models import save
from tests.set_detectors import rt_detr
from webbuild.browser.firefox import FirefoxHandle
from webbuild.browser.webkit import WebKitHandle
from webbuild.targets.browser_differences import BrowserDifferences


@pytest.fixture(scope="module")
def small(webbuild: Webbuild, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A detector with few operators, in float32 and in half precision."""
    folder = tmp_path_factory.mktemp("small")
    model = save(rt_detr(), folder / "rt-detr.onnx")
    done = webbuild("pack", model, "-o", folder / "out", "--no-verify", "--precision", "mixed")
    assert done.returncode == 0, done.stderr
    return folder / "out"


def test_verify_compares_three_browsers(
    webbuild: Webbuild, small: Path, firefox_with_adapter: FirefoxHandle, webkit_here: WebKitHandle, float16: bool
) -> None:
    browsers = [word for name in ("chromium", "firefox", "webkit") for word in ("--browser", name)]
    done = webbuild("verify", small, *browsers, "--json")
    assert done.returncode == 0, done.stderr
    assert "3 of 3 browsers give the same results" in done.stderr
    found = json.loads(done.stdout)["browsers"]
    assert [each["where"] for each in found] == ["Chromium here", "Firefox here", "WebKit here"]
    ran = {(each["where"].split()[0], run["backend"]): run for each in found for run in each["report"]["backends"]}
    names = [backend for browser, backend in ran if browser == "Firefox"]
    assert names[0] == "wasm"
    assert {"webgpu", *(name for name in names if "fp16" in name or "mixed" in name)} == set(names[1:])
    assert len(names) == 3, "the bundle has a graph in half precision"
    assert [backend for browser, backend in ran if browser == "WebKit"] == ["wasm"]
    for (browser, backend), run in ran.items():
        if browser == "Chromium" and backend == names[-1] and not float16:
            continue
        judged = [each for result in run["results"] for each in result["comparisons"]]
        assert judged, (browser, backend)
        assert {each["verdict"] for each in judged} == {"OK"}
        assert any(each["signal"] > 0 for each in judged)
    assert ran["Firefox", "webgpu"]["adapter"] == "unnamed", "Firefox does not say what it computes on"
    assert ran["Firefox", "webgpu"]["engineBuild"] == "jspi"
    assert "Firefox 153" in found[1]["report"]["environment"]["browser"] or firefox_with_adapter.version in str(found)


def test_webgpu_that_is_asked_for_is_not_left_out(webbuild: Webbuild, small: Path, webkit_here: WebKitHandle) -> None:
    done = webbuild("verify", small, "--browser", "webkit", "--backend", "webgpu")
    assert done.returncode == 2
    assert "error[no-adapter] webkitgtk: no WebGPU adapter" in done.stderr


def test_bench_measures_firefox_and_webkit(
    webbuild: Webbuild, small: Path, firefox_with_adapter: FirefoxHandle, webkit_here: WebKitHandle
) -> None:
    done = webbuild("bench", small, "--browser", "firefox", "--browser", "webkit", "--runs", 3, "--json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["backends"]
    assert [(row["endpoint"], row["backend"].split()[0]) for row in rows] == [
        ("Firefox here", "webgpu"), ("Firefox here", "wasm"), ("WebKit here", "wasm"),
    ]  # fmt: skip
    for row in rows:
        assert (len(row["runTimes"]["runs"]), row["problems"]) == (3, [])
        assert row["secondLoad"]["bytes"] < row["firstLoad"]["bytes"]
        assert row["profile"]["longTasks"] is None, "only Chromium is traced"
    assert rows[0]["profile"]["perRun"]["dispatches"] > 0


def test_probe_says_what_firefox_does_otherwise(
    webbuild: Webbuild, firefox_with_adapter: FirefoxHandle, tmp_path: Path
) -> None:
    """Firefox allows a shader more storage buffers than Chromium: a Split into 33 parts runs there."""
    import msgspec

    file = tmp_path / "firefox.json"
    done = webbuild("probe", "--browser", "firefox", "--family", "buffers", "--out", file)
    assert done.returncode == 0, done.stderr
    found = msgspec.json.decode(file.read_bytes(), type=BrowserDifferences)
    assert found.cases > 50
    ended = {each.case.name: (each.chromium, each.case.outcome) for each in found.differences}
    assert ended["buffers/Split 33"] == ("throws", "gpu")
