"""A bundle with an additional half-precision graph: used if the adapter has shader-f16, ignored otherwise."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
import onnx
import onnx_ir as ir
import pytest
from playwright.sync_api import expect

from benchmarks.fp16.rounding import RoundedFp16
from e2e.conftest import Open, Webbuild
from tests.models import HEADER, parsed, save, weights
from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.server import Server
from webbuild.bundle.graphs import write_reduced_precision_graph
from webbuild.manifest.file_entry import file_entry
from webbuild.manifest.manifest import encode
from webbuild.precision.convert import plan_conversion
from webbuild.precision.fp16_backends.chromium import chromium_backend
from webbuild.verify.bundle_reader import open_bundle

CONV = f"{HEADER} g (float[1,16,12,12] x) => (float[1,32,10,10] y) {{ y = Conv(x, w) }}"
WHY = "this adapter has no shader-f16"


@pytest.fixture(scope="module")
def both(webbuild: Webbuild, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Conv in float32 and in half precision."""
    folder = tmp_path_factory.mktemp("both")
    model = parsed(CONV)
    model.graph.initializer.append(onnx.numpy_helper.from_array(weights(32, 16, 3, 3), "w"))
    np.savez(folder / "sample.npz", x=weights(1, 16, 12, 12, seed=1))
    out = folder / "conv"
    done = webbuild(
        "pack", save(model, folder / "conv.onnx"), "-o", out, "--sample", folder / "sample.npz", "--no-verify"
    )
    assert done.returncode == 0, done.stderr
    manifest = open_bundle(out).manifest
    half = write_reduced_precision_graph(plan_conversion(ir.from_proto(model)).convert().model, "fp16", out / "model")
    more = [file_entry(out / path, out) for path in (half.file, *half.weights)]
    manifest = msgspec.structs.replace(manifest, graphs=[half, *manifest.graphs], files=[*manifest.files, *more])
    (out / "manifest.json").write_bytes(encode(manifest))
    return out


@pytest.fixture
def served(both: Path) -> Iterator[tuple[Server, list[str]]]:
    heard: list[str] = []
    with Server(both, on_request=lambda path, _: heard.append(path)) as server:
        yield server, heard


def test_a_visitor_downloads_one_graph_and_the_page_says_which(
    webgpu: BrowserHandle, served: tuple[Server, list[str]], both: Path, open_page: Open, *, float16: bool
) -> None:
    server, heard = served
    page = open_page(webgpu.browser, server.url).page
    precision = page.locator("#engine-facts div").filter(has_text="Precision").locator("dd")
    expect(precision).to_have_text(
        "half precision: the best that this adapter can run"
        if float16
        else f"float32, as exported: {WHY}, which fp16 needs"
    )
    half, whole, _ = ({graph.file, *graph.weights} for graph in open_bundle(both).manifest.graphs)
    assert len(half - whole) == len(half) > 1
    loaded = {path.lstrip("/") for path in heard}
    wanted, other = (half, whole) if float16 else (whole, half)
    assert wanted <= loaded
    assert not other & loaded


def test_verify_runs_it_or_says_why_not(
    webbuild: Webbuild, webgpu: BrowserHandle, both: Path, *, float16: bool
) -> None:
    done = webbuild("verify", both, "--backend", "webgpu", "--json")
    assert done.returncode == 0, done.stderr
    half, whole = json.loads(done.stdout)["backends"]
    assert (half["backend"], half["skipReason"], len(half["results"])) == (
        "webgpu fp16",
        *(("", 1) if float16 else (WHY, 0)),
    )
    assert (whole["backend"], whole["skipReason"], len(whole["results"])) == ("webgpu", "", 1)
    alone = webbuild("verify", both, "--precision", "fp16")
    assert alone.returncode == (0 if float16 else 1)
    if not float16:
        assert f"WebGPU fp16 was not run: {WHY}." in " ".join(done.stderr.split())
        assert "Nothing proved" in alone.stderr


@pytest.fixture(scope="module")
def cancelling(tmp_path_factory: pytest.TempPathFactory) -> tuple[onnx.ModelProto, Path]:
    """A sum of 2048 products that grows to 2000 and shrinks to about 50, and its sample."""
    folder = tmp_path_factory.mktemp("cancelling")
    model = parsed(f"{HEADER} g (float[1,16,2048] x) => (float[1,16,8] y) {{ y = MatMul(x, w) }}")
    w = np.ones((2048, 8), np.float32)
    w[1024:] = -1
    model.graph.initializer.append(onnx.numpy_helper.from_array(w, "w"))
    np.savez(folder / "sample.npz", x=2 + weights(1, 16, 2048, seed=1))
    return model, folder


def test_a_sum_that_loses_digits_stays_float32_and_is_right_on_the_adapter(
    webbuild: Webbuild, cancelling: tuple[onnx.ModelProto, Path], *, float16: bool
) -> None:
    model, folder = cancelling
    given = save(model, folder / "sum.onnx")
    sample = ("--sample", folder / "sample.npz")
    done = webbuild("pack", given, "-o", folder / "out", *sample, "--precision", "mixed", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)["pack"]
    assert report["fp16Backend"] == ("Chromium" if float16 else "emulated")
    searched = report["precisionSearch"]
    assert searched["fp16Nodes"] == 0
    assert searched["weights"][1] <= 0.51 * searched["weights"][0]
    checked = webbuild("verify", folder / "out", "--backend", "webgpu", "--json")
    assert checked.returncode == 0, checked.stderr
    half = json.loads(checked.stdout)["backends"][0]
    assert (half["backend"], len(half["results"])) == ("webgpu mixed", int(float16))


def test_the_same_sum_in_float16_is_wrong_on_the_adapter_and_right_where_it_is_only_rounded(
    cancelling: tuple[onnx.ModelProto, Path], webgpu: BrowserHandle, *, float16: bool
) -> None:
    model, folder = cancelling
    graph = plan_conversion(ir.from_proto(model)).convert().model
    x = np.load(folder / "sample.npz")["x"]
    want = x @ onnx.numpy_helper.to_array(model.graph.initializer[0])
    (rounded,) = RoundedFp16().run(graph, [{"x": x}])
    assert np.abs(rounded["y"] - want).max() < 0.01 * np.abs(want).max()
    if float16:
        backend = chromium_backend(webgpu)
        assert not isinstance(backend, str)
        with backend:
            (found,) = backend.run(graph, [{"x": x}])
        assert np.abs(found["y"] - want).max() > 0.01 * np.abs(want).max()
