"""The faulty node, found in each browser: known faults of the engine builds."""

from __future__ import annotations

import json
from pathlib import Path

import onnx
import pytest

from e2e.conftest import MODEL, Webbuild
from e2e.demo_page import LOADED
from e2e.test_bench import means  # noqa: F401 (a fixture)
from tests.bisect.planted import Fault, Faulty, constant
from tests.models import HEADER, parsed, save, weights
from webbuild.bisect.bisect import BisectOptions, search_inputs
from webbuild.bisect.model_under_test import ModelSelection, open_model_under_test
from webbuild.bisect.report import BisectReport
from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.driven_browser import DrivenBrowser, DrivenPage
from webbuild.browser.firefox import FirefoxHandle
from webbuild.browser.server import Server
from webbuild.browser.webkit import WebKitHandle
from webbuild.errors import WebbuildError
from webbuild.ortweb.browser_session import open_sessions
from webbuild.runners.native_unoptimized import UnoptimizedNativeRunner

RESIZING = f"""{HEADER} resizing (float[1,3,4,8] x) => (float[1,8,16,8] y, float[1,4,8,8] z)
<float[4] scales = {{1, 2, 2, 1}}>
{{
  a = Conv <kernel_shape = [3, 3], pads = [3, 1, 3, 1]> (x, weight)
  b = Relu (a)
  c = Resize <mode = "linear"> (b, , scales)
  d = Sigmoid (c)
  y = Mul (d, d)
  e = Tanh (b)
  z = Add (e, b)
}}"""
SHRINKING = f"""{HEADER} shrinking (float[1,3,16,16] x) => (float[1,3,8,8] y, float[1,3,16,16] z)
<float[4] scales = {{1, 1, 0.5, 0.5}}>
{{
  a = Relu (x)
  b = Resize <mode = "linear", antialias = 1> (a, , scales)
  y = Sigmoid (b)
  z = Tanh (a)
}}"""
PADDING = f"""{HEADER} padding (float[1,2,6,6] x) => (float[1,2,4,4] y, float[1,2,6,6] z)
<int64[8] pads = {{0, 0, 1, 1, 0, 0, 1, 1}}, float two = {{2}}>
{{
  a = Sigmoid (x)
  b = Sub (a, two)
  c = Pad (b, pads)
  d = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (c)
  y = Mul (d, two)
  z = Tanh (b)
}}"""
NORMS = f"""{HEADER} norms (float[2,3,4,4] x) => (float[2,3,4,4] y)
<float[3] scale = {{1, 2, 3}}, float[3] bias = {{0, 1, 2}}>
{{
  a = InstanceNormalization <epsilon = 0.5> (x, scale, bias)
  b = Relu (a)
  y = InstanceNormalization <epsilon = 0.00001> (b, scale, bias)
}}"""
DOUBLE = f"""{HEADER} double (float[2,3] x) => (float[2,3] y)
{{
  a = Relu (x)
  b = Cast <to = 11> (a)
  c = Mul (b, b)
  d = Cast <to = 1> (c)
  y = Sigmoid (d)
}}"""
HALF = f"""{HEADER} half (float16[1,2,4,4] x) => (float16[1,2,6,6] y)
<int64[8] pads = {{0, 0, 1, 1, 0, 0, 1, 1}}>
{{
  a = Sigmoid (x)
  b = Pad (a, pads)
  y = Mul (b, b)
}}"""
"""Firefox does not compile the float16 kernel of Pad."""


def resizing(path: Path) -> Path:
    model = parsed(RESIZING)
    model.graph.initializer.append(onnx.numpy_helper.from_array(weights(4, 3, 3, 3), "weight"))
    return save(model, path)


def searched(browser: DrivenBrowser, path: Path, folder: Path, *, backend: str = "webgpu") -> BisectReport:
    subject = open_model_under_test(ModelSelection(path, backend))
    folder.mkdir()
    with open_sessions(browser, [(subject.build, subject.options)]) as (engine,):
        return search_inputs(subject, BisectOptions(), engine, UnoptimizedNativeRunner(), folder)[0]


def blamed(report: BisectReport) -> list[tuple[str, ...]]:
    return [(each.code, *(node.operator for node in each.nodes), each.placement) for each in report.findings]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.mark.slow
def test_a_node_of_the_shipped_model_that_the_reference_has_wrong(webgpu: BrowserHandle, tmp_path: Path) -> None:
    subject, node = open_model_under_test(ModelSelection(MODEL)), 194
    with open_sessions(webgpu, [(subject.build, subject.options)]) as (engine,):
        report, _, _ = search_inputs(subject, BisectOptions(), engine, Faulty(Fault(node, constant(1.5))), tmp_path)
    assert [[each.index for each in finding.nodes] for finding in report.findings] == [[node]]
    assert report.unresolved == 0
    assert report.sessions <= 6


def test_a_bundle_that_agrees(webbuild: Webbuild, webgpu: BrowserHandle, means: Path, tmp_path: Path) -> None:  # noqa: F811
    done = webbuild("bisect", means, "-o", tmp_path / "none", "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert (result["wholeGraphVerdict"], result["findings"]) == ("agrees", [])
    assert result["comparedValues"] > 0
    assert not (tmp_path / "none").exists()


def test_what_is_wrong_on_the_gpu_agrees_on_the_cpu(webgpu: BrowserHandle, tmp_path: Path) -> None:
    on_the_cpu = searched(webgpu, resizing(tmp_path / "resizing.onnx"), tmp_path / "wasm", backend="wasm")
    assert (on_the_cpu.whole_graph_verdict, on_the_cpu.compared_values) == ("agrees", 2)


def test_two_nodes_made_one(webgpu: BrowserHandle, tmp_path: Path) -> None:
    report = searched(webgpu, save(parsed(PADDING), tmp_path / "padding.onnx"), tmp_path / "webgpu")
    assert blamed(report) == [("fusion-mismatch", "Pad", "MaxPool", "gpu")]


def test_a_kernel_compiled_for_another(webgpu: BrowserHandle, tmp_path: Path) -> None:
    report = searched(webgpu, save(parsed(NORMS), tmp_path / "norms.onnx"), tmp_path / "webgpu")
    assert blamed(report) == [("shader-cache-interaction", "InstanceNormalization", "InstanceNormalization", "gpu")]


def test_a_run_that_throws(webgpu: BrowserHandle, tmp_path: Path) -> None:
    path = save(parsed(SHRINKING), tmp_path / "shrinking.onnx")
    report = searched(webgpu, path, tmp_path / "webgpu")
    assert blamed(report)[0][:2] == ("node-throws", "Resize")
    assert len(report.findings) == 1


def test_a_type_without_kernels(webgpu: BrowserHandle, tmp_path: Path) -> None:
    path = save(parsed(DOUBLE), tmp_path / "double.onnx")
    report = searched(webgpu, path, tmp_path / "webgpu")
    found = [(each.code, each.nodes[0].operator, each.downstream) for each in report.findings]
    assert found[0] == ("node-session-failure", "Cast", False)
    assert {code for code, _, _ in found} == {"node-session-failure"}
    assert all(behind for _, _, behind in found[1:])


def test_a_graph_that_the_adapter_cannot_run_is_not_searched(
    webgpu: BrowserHandle, tmp_path: Path, *, float16: bool
) -> None:
    half = f"{HEADER} half (float16[2,3] x) => (float16[2,3] y)\n{{\n  y = Relu (x)\n}}"
    subject = open_model_under_test(ModelSelection(save(parsed(half), tmp_path / "half.onnx")))
    with open_sessions(webgpu, [(subject.build, subject.options)]) as (engine,):
        engine.require_features(())
        if float16:
            engine.require_features(subject.features)
        lacking = subject.features if not float16 else ("no-such-feature",)
        with pytest.raises(WebbuildError, match=f"no {lacking[0]}") as raised:
            engine.require_features(lacking)
        assert raised.value.code == "missing-adapter-feature"


def test_the_command_leaves_a_page_that_shows_it(webbuild: Webbuild, webgpu: BrowserHandle, tmp_path: Path) -> None:
    out = tmp_path / "found"
    done = webbuild("bisect", resizing(tmp_path / "resizing.onnx"), "-o", out, "--json")
    assert done.returncode == 1, done.stderr
    result = json.loads(done.stdout)
    (finding,) = result["findings"]
    (node,) = finding["nodes"]
    assert (finding["code"], node["operator"], finding["placement"]) == ("node-mismatch", "Resize", "gpu")
    assert result["sessions"] <= 4
    assert finding["files"] == ["repro.onnx", "repro.html", "issue.md"]
    assert "`Resize`, opset 18\n\n- `mode`: `linear`\n" in (out / "issue.md").read_text()
    with Server(out) as server, webgpu.page() as (page, _):
        page.goto(f"{server.url}repro.html")
        page.wait_for_selector("#verdict:not([data-verdict=running])", timeout=LOADED)
        assert page.get_attribute("#verdict", "data-verdict") == "differs"
        assert page.locator("#outputs tr").count() == 1


def verdict(page: DrivenPage, url: str) -> str:
    page.goto(url)
    shown = "document.getElementById('verdict')"
    page.wait_for_function(f"() => {shown}?.dataset.verdict !== 'running'")
    return str(page.evaluate(f"() => {shown}.dataset.verdict + ': ' + {shown}.textContent"))


def test_firefox_blames_a_node_that_is_right_in_chromium(
    webbuild: Webbuild,
    webgpu: BrowserHandle,
    firefox_with_adapter: FirefoxHandle,
    tmp_path: Path,
    *,
    float16: bool,
) -> None:
    path, out = save(parsed(HALF), tmp_path / "half.onnx"), tmp_path / "found"
    done = webbuild("bisect", path, "--browser", "firefox", "-o", out, "--json")
    assert done.returncode == 1, done.stderr
    result = json.loads(done.stdout)
    (finding,) = result["findings"]
    assert (finding["code"], [node["operator"] for node in finding["nodes"]]) == ("node-throws", ["Pad"])
    assert f"in Firefox {firefox_with_adapter.version} on unnamed" in result["engine"]
    assert "Shader 'Pad' parsing error: " in finding["message"]
    assert finding["shader"].startswith("enable f16;")
    assert f"```wgsl\n{finding['shader']}" in (out / "issue.md").read_text()
    with Server(out) as server:
        with firefox_with_adapter.page() as (page, _):
            assert verdict(page, f"{server.url}repro.html").startswith("fails: The run throws in this browser: ")
            assert page.evaluate("() => document.getElementById('adapter').textContent") == "unnamed"
        with webgpu.page() as (page, _):
            found = verdict(page, f"{server.url}repro.html")
    assert found.startswith("agrees: " if float16 else "fails: ")


def test_webkit_blames_the_node_that_the_reference_has_wrong(webkit_here: WebKitHandle, tmp_path: Path) -> None:
    subject = open_model_under_test(ModelSelection(resizing(tmp_path / "resizing.onnx"), "wasm"))
    with open_sessions(webkit_here, [(subject.build, subject.options)]) as (engine,):
        wrong = Faulty(Fault(3, constant(1.5)))
        report, _, _ = search_inputs(subject, BisectOptions("webkit"), engine, wrong, tmp_path)
    assert [[each.operator for each in finding.nodes] for finding in report.findings] == [["Sigmoid"]]
    assert f"WebKitGTK {webkit_here.version} on the CPU" in report.engine


def test_webkit_has_no_gpu_to_search_on(webbuild: Webbuild, webkit_here: WebKitHandle, tmp_path: Path) -> None:
    path = resizing(tmp_path / "resizing.onnx")
    done = webbuild("bisect", path, "--browser", "webkit", "-o", tmp_path / "found")
    assert (done.returncode, "error[no-adapter] webkitgtk: no WebGPU adapter" in done.stderr) == (2, True), done.stderr
    agreeing = webbuild("bisect", path, "--browser", "webkit", "--backend", "wasm", "--json")
    assert agreeing.returncode == 0, agreeing.stderr
    assert json.loads(agreeing.stdout)["comparedValues"] > 0
