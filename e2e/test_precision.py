"""A bundle that holds its model in half precision too, where the adapter has no shader-f16: nothing of it is used."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
import onnx
import onnx_ir as ir
import pytest

from e2e.conftest import Open, Webbuild
from tests.models import HEADER, parsed, save, weights
from webbuild.browser.chromium import Chromium
from webbuild.browser.server import Server
from webbuild.bundle.graphs import write_reduced_precision_graph
from webbuild.manifest.file_entry import file_entry
from webbuild.manifest.manifest import encode
from webbuild.precision.convert import convert_to_fp16
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
        "pack", save(model, folder / "conv.onnx"), "-o", out, "--input", folder / "sample.npz", "--no-verify"
    )
    assert done.returncode == 0, done.stderr
    manifest = open_bundle(out).manifest
    half = write_reduced_precision_graph(convert_to_fp16(ir.from_proto(model)).model, "fp16", out / "model")
    more = [file_entry(out / path, out) for path in (half.file, *half.weights)]
    manifest = msgspec.structs.replace(manifest, graphs=[half, *manifest.graphs], files=[*manifest.files, *more])
    (out / "manifest.json").write_bytes(encode(manifest))
    return out


@pytest.fixture
def served(both: Path) -> Iterator[tuple[Server, list[str]]]:
    heard: list[str] = []
    with Server(both, heard=lambda path, _: heard.append(path)) as server:
        yield server, heard


def test_a_visitor_downloads_one_graph_and_the_page_says_which(
    webgpu: Chromium, served: tuple[Server, list[str]], both: Path, open_page: Open
) -> None:
    server, heard = served
    page = open_page(webgpu.browser, server.url).page
    precision = page.locator("#engine-facts div").filter(has_text="Precision")
    precision.locator("dd").filter(has_text="float32, as exported").wait_for(timeout=60_000)
    assert precision.locator("dd").inner_text() == f"float32, as exported: {WHY}, which fp16 needs"
    half, webgpu_graph, _ = open_bundle(both).manifest.graphs
    loaded = {path.lstrip("/") for path in heard}
    assert {webgpu_graph.file, *webgpu_graph.weights} <= loaded
    assert half.weights
    assert not {half.file, *half.weights} & loaded


def test_verify_says_that_it_was_not_run_here(webbuild: Webbuild, webgpu: Chromium, both: Path) -> None:
    done = webbuild("verify", both, "--backend", "webgpu", "--json")
    assert done.returncode == 0, done.stderr
    half, whole = json.loads(done.stdout)["backends"]
    assert (half["backend"], half["skipReason"], half["cases"]) == ("webgpu fp16", WHY, [])
    assert (whole["backend"], whole["skipReason"], len(whole["cases"])) == ("webgpu", "", 1)
    assert f"WebGPU fp16 was not run: {WHY}." in " ".join(done.stderr.split())
    alone = webbuild("verify", both, "--precision", "fp16")
    assert alone.returncode == 1
    assert "Nothing proved" in alone.stderr
