"""The subject of a bisection: a model with its sizes and inputs, or a bundle's graph with the bundle's own sessions."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import onnx
import pytest

from tests.commands.program import webbuild
from tests.models import HEADER, parsed, save
from tests.verify.bundle_made import FEEDS, write_bundle
from webbuild.bisect.bisect import BisectOptions, search_inputs
from webbuild.bisect.model_under_test import ModelSelection, open_model_under_test
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import EngineBuild, encode
from webbuild.runners.native_unoptimized import UnoptimizedNativeRunner

FREE = f'{HEADER} g (float["rows",3] x, int64[2] i) => (float["rows",3] y, int64[2] j) {{ y = Sin (x) j = Neg (i) }}'


def free(folder: Path) -> Path:
    return save(parsed(FREE), folder / "free.onnx")


def test_a_model_in_the_sizes_that_are_asked_for(tmp_path: Path) -> None:
    found = open_model_under_test(ModelSelection(free(tmp_path), dims=("rows=4",)))
    assert found.graph.sizes("y") == (4, 3)
    assert [(case.title, case.feeds["x"].shape) for case in found.inputs] == [("random numbers", (4, 3))]
    assert found.build.target.build == "webgpu"


def test_an_output_reads_only_its_own_inputs(tmp_path: Path) -> None:
    found = open_model_under_test(ModelSelection(free(tmp_path), dims=("rows=4",), outputs=("j",)))
    assert [node.op_type for node in found.graph.nodes] == ["Neg"]


@pytest.mark.parametrize(
    ("stage", "precision", "code"),
    [("decoder", "fp32", "unknown-stage"), ("", "fp16", "no-graph"), ("", "mixed", "no-graph")],
)
def test_a_model_has_no_stages_and_no_precisions(tmp_path: Path, stage: str, precision: str, code: str) -> None:
    with pytest.raises(WebbuildError, match="this is a model of one graph") as error:
        open_model_under_test(ModelSelection(free(tmp_path), dims=("rows=4",), stage=stage, precision=precision))
    assert (error.value.code, error.value.exit_code) == (code, 2)


def test_numbers_from_a_file(tmp_path: Path) -> None:
    file, short = tmp_path / "numbers.npz", tmp_path / "short.npz"
    np.savez(file, x=np.ones((4, 3), np.float32), i=np.array([1, 2]))
    found = open_model_under_test(ModelSelection(free(tmp_path), dims=("rows=4",), inputs=(file,)))
    assert found.inputs[0].title == "numbers.npz"
    np.savez(short, x=np.ones((4, 3), np.float32))
    with pytest.raises(WebbuildError, match=r"input 'i' is nothing: it holds .*, wanted int64") as error:
        open_model_under_test(ModelSelection(free(tmp_path), dims=("rows=4",), inputs=(short,)))
    assert error.value.code == "invalid-input"


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    made = write_bundle(tmp_path / "bundle")
    manifest = made.manifest
    graph = msgspec.structs.replace(manifest.graphs[0], target="webgpu", cpu_nodes=["late"])
    engines = [
        EngineBuild(build="asyncify", entry="a.mjs", glue="b.mjs", wasm="c.wasm.zst"),
        EngineBuild(build="jspi", entry="d.mjs", glue="e.mjs", wasm="f.wasm.zst"),
    ]
    changed = msgspec.structs.replace(manifest, graphs=[graph], engines=engines)
    (tmp_path / "bundle" / "manifest.json").write_bytes(encode(changed))
    return tmp_path / "bundle"


def test_a_bundle_brings_its_engine_its_inputs_and_its_sessions(bundle: Path, tmp_path: Path) -> None:
    model = onnx.load(bundle / "double.onnx")
    model.graph.node[1].name = "late"
    onnx.save(model, bundle / "double.onnx")
    found = open_model_under_test(ModelSelection(bundle))
    assert (found.build.entry, found.build.target.name) == (bundle / "d.mjs", "1-webgpu")
    assert [case.title for case in found.inputs] == ["golden"]
    np.testing.assert_array_equal(found.inputs[0].feeds["x"], FEEDS["x"])
    assert found.options.cpu_nodes == (1,)
    assert found.options.session_options("webgpu") == {
        "executionProviders": [{"name": "webgpu", "forceCpuNodeNames": ["n1"]}]
    }
    assert found.options.session_options("webgpu", 2)["executionProviders"][0]["forceCpuNodeNames"] == ["n1", "n1_1"]
    (tmp_path / "values").mkdir()
    assert (
        search_inputs(
            found, BisectOptions(), UnoptimizedNativeRunner(), UnoptimizedNativeRunner(), tmp_path / "values"
        )[0].whole_graph_verdict
        == "agrees"
    )


def test_what_a_bundle_does_not_hold(bundle: Path) -> None:
    assert webbuild("bisect", bundle, "--backend", "wasm").error == "no-graph"
    assert webbuild("bisect", bundle, "--dim", "rows=3").error == "unused-dimension"
    assert webbuild("bisect", bundle, "--output", "nothing").error == "unknown-output"


def test_nothing_is_overwritten(bundle: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "mine").write_text("kept")
    assert webbuild("bisect", bundle, "-o", out).error == "output-exists"
    assert webbuild("bisect", bundle, "-o", out, "--force").error == "not-a-bundle"
    assert (out / "mine").read_text() == "kept"


def test_a_model_of_text_is_not_made_up(tmp_path: Path) -> None:
    path = save(parsed(f"{HEADER} g (string[2] x) => (string[2] y) {{ y = Identity (x) }}"), tmp_path / "text.onnx")
    done = webbuild("bisect", path)
    assert (done.code, done.error) == (2, "cannot-generate-input")
