"""`webbuild patch` on one model: plain files with the interface of the original."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import onnx_ir as ir
import pytest

from tests.click_models import click_pair
from tests.commands.program import webbuild
from tests.commands.stopped import interrupt, start
from tests.exports import write
from tests.models import HEADER, convolution, parsed, save, save_external
from tests.native import Session
from webbuild.bundle import export_onnx
from webbuild.commands import patch_files
from webbuild.ortweb import packaged_assets

pytestmark = pytest.mark.usefixtures("stand_in")

DETECT = "ultralytics-8.4.190-torchscript/detect-nms"


def interface(file: Path) -> list[str]:
    graph = onnx.load(file, load_external_data=False).graph
    return [str(value) for value in (*graph.input, *graph.output)]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_patched_model_has_the_interface_and_the_answers_of_the_original(tmp_path: Path) -> None:
    model = write(DETECT, tmp_path)
    done = webbuild("patch", model, "-o", tmp_path / "out", "--target", "1.30.0-webgpu", "--json")
    assert done.code == 0, done.stderr
    (outcome,) = json.loads(done.stdout)
    (file,) = outcome["files"]
    assert file["targets"] == ["1.30.0-webgpu"]
    assert (outcome["interface"], file["data"]) == ([], "")
    assert outcome["compared"] > 0
    assert any(rewrite["applied"] for rewrite in outcome["rewrites"]["1.30.0-webgpu"])
    assert names(tmp_path / "out") == ["detect-nms.1.30.0-webgpu.onnx"]
    assert interface(Path(file["file"])) == interface(model)


@pytest.mark.parametrize("dtype", ["int8", "int16", "uint8", "uint16", "uint32", "uint64"])
def test_each_integer_type_may_be_an_input_and_an_output(tmp_path: Path, dtype: str) -> None:
    text = f"""{HEADER} m ({dtype}[1,5] x) => ({dtype}[1,5] y) <float one = {{1.0}}> {{
      f = Cast <to = 1> (x) d = Add (f, one) y = Cast <to = {onnx.TensorProto.DataType.Value(dtype.upper())}> (d)
    }}"""
    model = save(parsed(text), tmp_path / "m.onnx")
    done = webbuild("patch", model, "-o", tmp_path / "out", "--target", "1.30.0-wasm", "--json")
    assert done.code == 0, done.stderr
    assert interface(Path(json.loads(done.stdout)[0]["files"][0]["file"])) == interface(model)


def test_what_nothing_native_runs_is_proven_against_a_repaired_original_and_it_is_said(tmp_path: Path) -> None:
    text = f"""{HEADER} sampled (float[1,2,4,4] x, float[1,3,3,2] grid) => (float[1,2,3,3] y) {{
      wide = Cast <to = 11> (x) wider = Cast <to = 11> (grid) taken = GridSample (wide, wider) y = Cast <to = 1> (taken)
    }}"""
    model = save(parsed(text), tmp_path / "sampled.onnx")
    done = webbuild("patch", model, "-o", tmp_path / "out", "--json")
    (outcome,) = json.loads(done.stdout)
    (told,) = outcome["repairs"]
    assert (done.code, outcome["compared"] > 0) == (0, True)
    assert "has no kernel for a node of the original. The reference is the original after float64-to-float32" in told
    assert told in webbuild("patch", model, "-o", tmp_path / "again").stdout
    whole = webbuild("patch", save(convolution(), tmp_path / "small.onnx"), "-o", tmp_path / "out", "--json")
    assert json.loads(whole.stdout)[0]["repairs"] == []


def test_inputs_of_int64_become_int32_only_where_that_is_asked_for(tmp_path: Path) -> None:
    text = f"{HEADER} counted (int64[4] n) => (float[4] y) {{ f = Cast <to = 1> (n) y = Sqrt (f) }}"
    model = save(parsed(text), tmp_path / "counted.onnx")
    found = {}
    for name, options in (("as-it-was", ()), ("narrow", ("--int32-inputs",))):
        done = webbuild("patch", model, "-o", tmp_path / name, "--target", "1.30.0-webgpu", *options, "--json")
        assert done.code == 0, done.stderr
        (outcome,) = json.loads(done.stdout)
        graph = onnx.load(outcome["files"][0]["file"]).graph
        found[name] = graph.input[0].type.tensor_type.elem_type, bool(outcome["interface"])
    assert found == {"as-it-was": (onnx.TensorProto.INT64, False), "narrow": (onnx.TensorProto.INT32, True)}


def test_without_a_target_it_is_for_the_build_that_is_shipped(tmp_path: Path) -> None:
    done = webbuild("patch", save(convolution(), tmp_path / "m.onnx"), "-o", tmp_path / "out")
    assert done.code == 0, done.stderr
    assert done.stdout.startswith("patched ")
    assert names(tmp_path / "out") == ["m.1.0.0-webgpu.onnx"]


def test_targets_with_the_same_graph_share_a_file_that_is_proven_once(tmp_path: Path) -> None:
    model = save(convolution(), tmp_path / "m.onnx")
    targets = ["--target", "1.30.0-webgpu", "--target", "1.30.0-wasm"]
    alone = webbuild("patch", model, "-o", tmp_path / "a", *targets[:2], "--json")
    both = webbuild("patch", model, "-o", tmp_path / "b", *targets, "--json")
    (one,), (two,) = json.loads(alone.stdout), json.loads(both.stdout)
    assert [file["targets"] for file in two["files"]] == [["1.30.0-webgpu", "1.30.0-wasm"]]
    assert names(tmp_path / "b") == ["m.1.30.0-webgpu.onnx"]
    assert one["compared"] == two["compared"] > 0


def test_suppression_on_the_gpu_brings_the_graph_it_falls_back_to_and_says_what_is_new(tmp_path: Path) -> None:
    model = write(DETECT, tmp_path)
    done = webbuild("patch", model, "-o", tmp_path / "out", "--nms", "gpu", "--target", "1.30.0-webgpu")
    assert done.code == 0, done.stderr
    assert names(tmp_path / "out") == ["detect-nms.1.30.0-wasm.onnx", "detect-nms.1.30.0-webgpu.onnx"]
    for words in ("input 'confidence' is new", "input 'iou' is new", "output 'head_status' is new"):
        assert words in done.stdout


def test_a_free_dimension_gets_the_size_that_was_given_and_it_is_said(tmp_path: Path) -> None:
    text = f"{HEADER} g (float[n,4] x) => (float[n,4] y) {{ a = Abs (x) y = Exp (a) }}"
    model = save(parsed(text), tmp_path / "m.onnx")
    done = webbuild("patch", model, "-o", tmp_path / "out", "--dim", "n=3")
    assert done.code == 0, done.stderr
    assert "input 'x' is float32 [3, 4], was float32 [n, 4]" in done.stdout


def test_weights_stay_where_they_were(tmp_path: Path) -> None:
    model = convolution()
    save_external(model, tmp_path / "beside.onnx", "beside.data")
    save(convolution(), tmp_path / "inside.onnx")
    for name in ("beside", "inside"):
        assert webbuild("patch", tmp_path / f"{name}.onnx", "-o", tmp_path / "out").code == 0
    assert names(tmp_path / "out") == [
        "beside.1.0.0-webgpu.onnx",
        "beside.1.0.0-webgpu.onnx.data",
        "inside.1.0.0-webgpu.onnx",
    ]
    feeds = {"x": np.random.default_rng(0).random((1, 3, 8, 8), np.float32)}
    loaded = onnx.load(tmp_path / "out" / "beside.1.0.0-webgpu.onnx")
    np.testing.assert_array_equal(Session(loaded).run(feeds)["y"], Session(convolution()).run(feeds)["y"])


def test_weights_too_large_for_a_file_go_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = save(parsed(f"{HEADER} g (float[1,64] x) => (float[1,64] y) {{ y = MatMul (x, w) }}"), tmp_path / "m.onnx")
    proto = onnx.load(model)
    proto.graph.initializer.append(onnx.numpy_helper.from_array(np.eye(64, dtype=np.float32), "w"))
    save(proto, model)
    monkeypatch.setattr(export_onnx, "MAX_SINGLE_FILE_BYTES", 64 * 64 * 4 - 1)
    assert webbuild("patch", model, "-o", tmp_path / "out").code == 0
    assert names(tmp_path / "out") == ["m.1.0.0-webgpu.onnx", "m.1.0.0-webgpu.onnx.data"]


def test_a_file_that_is_there_stays_unless_forced(tmp_path: Path) -> None:
    model = save(convolution(), tmp_path / "m.onnx")
    out = tmp_path / "out"
    out.mkdir()
    (out / "m.1.0.0-webgpu.onnx").write_text("mine")
    done = webbuild("patch", model, "-o", out)
    assert (done.code, done.error) == (2, "output-exists")
    assert (out / "m.1.0.0-webgpu.onnx").read_text() == "mine"
    assert webbuild("patch", model, "-o", out, "--force").code == 0
    assert names(out) == ["m.1.0.0-webgpu.onnx"]
    onnx.checker.check_model(out / "m.1.0.0-webgpu.onnx")


def test_a_dry_run_lists_the_edits_and_the_refusals_and_writes_nothing(tmp_path: Path) -> None:
    text = f"""{HEADER} g (float[4] x, bool c) => (float[4] y)
    <float[4] a = {{1, 2, 3, 4}}, int64 rounds = {{3}}>
    {{
      b = Add (a, a)
      z = Mul (x, b)
      y = Loop (rounds, c, z) <body = step (int64 i, bool go, float[4] s) => (bool more, float[4] t)
        {{ n = ReduceMax <keepdims = 0> (s) more = Greater (n, n) t = Mul (s, s) }}>
    }}"""
    model = save(parsed(text), tmp_path / "m.onnx")
    done = webbuild("patch", model, "-o", tmp_path / "out", "--dry-run", "--target", "1.30.0-webgpu")
    assert done.code == 0, done.stderr
    assert ": done [fold-constants]" in done.stdout
    assert ": left [unroll-loops]" in done.stdout
    assert names(tmp_path) == ["m.onnx"]


def test_a_patch_that_changes_the_answers_is_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = export_onnx.write_model

    def tampered(model: ir.Model, folder: Path, stem: str, target: str, *, external: bool) -> export_onnx.OnnxFile:
        file = honest(model, folder, stem, target, external=external)
        proto = onnx.load(folder / file.file)
        proto.graph.node[-1].op_type = "Sigmoid"
        (folder / file.file).write_bytes(proto.SerializeToString())
        return file

    monkeypatch.setattr(patch_files, "write_model", tampered)
    done = webbuild("patch", save(convolution(), tmp_path / "m.onnx"), "-o", tmp_path / "out")
    assert (done.code, done.error, done.stdout) == (1, "output-mismatch", "")
    assert names(tmp_path / "out") == []


@pytest.mark.posix
@pytest.mark.parametrize(
    "place", ["webbuild.compile.plan_graphs:lower", "webbuild.commands.patch_proof:check_with_detections"]
)
def test_an_interrupt_leaves_nothing(tmp_path: Path, place: str) -> None:
    model = save(convolution(), tmp_path / "m.onnx")
    process = start(place, packaged_assets.WEB_ROOT, "patch", model, "-o", tmp_path / "out")
    assert interrupt(process).splitlines()[-1] == "interrupted"
    assert process.returncode == 130
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [model]


def test_a_graph_that_a_build_would_fail_at_is_not_written_for_it_but_the_one_for_wasm_is(tmp_path: Path) -> None:
    text = f"""{HEADER} short (float[2,3] x) => (float[2,3] y) {{ a = Cast <to = 5> (x) y = Cast <to = 1> (a) }}"""
    model = save(parsed(text), tmp_path / "short.onnx")
    done = webbuild("patch", model, "-o", tmp_path / "out", "--target", "1.30.0-webgpu", "--json")
    (outcome,) = json.loads(done.stdout)
    assert (done.code, names(tmp_path / "out")) == (0, ["short.1.30.0-wasm.onnx"])
    assert outcome["disabled_targets"]["1.30.0-webgpu"]["code"] == "unimplemented-dtype"
    told = webbuild("patch", model, "-o", tmp_path / "again", "--target", "1.30.0-webgpu").stdout
    assert "1.30.0-webgpu would fail, use WASM: [unimplemented-dtype] Cast 'a': no session can be created" in told


def test_nodes_that_only_the_cpu_gets_right_are_named_for_the_engine(tmp_path: Path) -> None:
    text = f"""{HEADER} best (float[2,9] x) => (float[2,3] v, int64[2,3] i) <int64[1] k = {{3}}> {{
      h = Exp (x) v, i = TopK <sorted = 0> (h, k)
    }}"""
    model = save(parsed(text), tmp_path / "best.onnx")
    given = ("patch", model, "-o", tmp_path / "out", "--target", "1.30.0-webgpu")
    refused = webbuild(*given)
    assert (refused.code, "error[cpu-nodes-needed]" in refused.stderr) == (1, True)
    assert "--allow-cpu-nodes" in refused.stderr
    assert not (tmp_path / "out").exists()
    done = webbuild(*given, "--allow-cpu-nodes", "--json")
    (outcome,) = json.loads(done.stdout)
    (file,) = outcome["files"]
    (name,) = file["cpu_nodes"]
    assert (done.code, outcome["disabled_targets"]) == (0, {})
    assert name in [node.name for node in onnx.load(file["file"]).graph.node]
    told = webbuild(*given, "--allow-cpu-nodes", "--force").stdout
    (line,) = [line for line in told.splitlines() if line.startswith("session options for ")]
    (provider,) = json.loads(line.partition(": ")[2])["executionProviders"]
    assert provider == {"name": "webgpu", "forceCpuNodeNames": [name]}


def test_operators_that_only_the_wasm_build_has_are_patched_for_it(tmp_path: Path) -> None:
    text = """<ir_version: 8, opset_import: ["" : 18, "ai.onnx.ml" : 3]> bits (float[2,3] x) => (float[2,3] y) {
      y = ai.onnx.ml.Binarizer <threshold = 0.5> (x)
    }"""
    model = save(parsed(text), tmp_path / "bits.onnx")
    done = webbuild("patch", model, "-o", tmp_path / "out", "--target", "1.30.0-webgpu")
    assert (done.code, names(tmp_path / "out")) == (0, ["bits.1.30.0-wasm.onnx"])
    assert "1.30.0-webgpu would fail, use WASM: [unimplemented-dtype] ai.onnx.ml:Binarizer 'y'" in done.stdout
    inspected = webbuild("inspect", model, "--target", "1.30.0-webgpu").stdout
    assert "fix: webbuild pack, which runs the model on WASM" in inspected


def test_a_mask_decoder_keeps_what_its_own_callers_give_and_read(tmp_path: Path) -> None:
    """Only `pack` removes the resized masks and the image size input: its runtime makes masks from the logits."""
    _, decoder = click_pair(tmp_path)
    done = webbuild("patch", decoder, "-o", tmp_path / "out", "--json", "--allow-cpu-nodes")
    assert done.code == 0, done.stderr
    (outcome,) = json.loads(done.stdout)
    made, given = (onnx.load(file).graph for file in (outcome["files"][0]["file"], decoder))
    for values, originals in ((made.input, given.input), (made.output, given.output)):
        assert [value.name for value in values] == [value.name for value in originals]
