"""Models that webbuild was not written for: they pack, or the error says why not."""

from __future__ import annotations

import json
from pathlib import Path

import onnx
import pytest

from tests.commands.program import pack, refused
from tests.models import HEADER, convolution, parsed, save, save_external, weights
from webbuild.manifest.manifest import TensorTask

pytestmark = pytest.mark.usefixtures("stand_in")


def test_an_unknown_model_packs_as_tensors(tmp_path: Path) -> None:
    manifest = pack(save(convolution(), tmp_path / "small.onnx"))
    assert isinstance(manifest.task, TensorTask)
    assert [(spec.name, spec.shape) for spec in manifest.inputs] == [("x", [1, 3, 8, 8])]
    assert [(spec.name, spec.shape) for spec in manifest.outputs] == [("y", [1, 4, 8, 8])]
    assert manifest.golden is not None
    assert "task tensor" in manifest.assumptions[-1]


def test_weights_beside_the_model_pack_too(tmp_path: Path) -> None:
    model = convolution()
    model.graph.node[0].output[0] = "y"
    del model.graph.node[1]
    pack(save_external(model, tmp_path / "small.onnx", "small.data"))


def test_weights_of_a_branch_kept_beside_the_model_pack_too(tmp_path: Path) -> None:
    text = f"""{HEADER} g (float[2,3] x, bool c) => (float[2,3] y) {{ y = If (c) <
      then_branch = a () => (float[2,3] u) {{ u = Add (x, w) }},
      else_branch = b () => (float[2,3] v) {{ v = Neg (x) }}> }}"""
    model = parsed(text)
    tensor = onnx.TensorProto(name="w", dims=[3], data_type=1, data_location=onnx.TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value="w.bin")
    model.graph.node[0].attribute[0].g.initializer.append(tensor)
    (tmp_path / "w.bin").write_bytes(weights(3).tobytes())
    pack(save(model, tmp_path / "m.onnx"))


@pytest.mark.parametrize("text", ["</script><script>alert(1)</script>", "{{ 7 * 7 }}", "\x1b[31m\u202e", "x" * 50_000])
def test_metadata_of_any_kind_packs(tmp_path: Path, text: str) -> None:
    keys = ("author", "license", "description", "task", "names", "kpt_shape", "imgsz", "stride", text)
    model = convolution(metadata=dict.fromkeys(keys, text))
    model.producer_name, model.doc_string, model.graph.name = text, text, text
    manifest = pack(save(model, tmp_path / "small.onnx"))
    for name in ("index.html", "report.html"):
        assert "<script>alert" not in (tmp_path / "out" / name).read_text("utf-8")
    assert "\x1b" not in (tmp_path / "out" / "LICENSE.txt").read_text("utf-8")
    assert len(manifest.source.license) <= 200


@pytest.mark.parametrize("name", ["</script>", "../../x", "a b\n", "模型", "x" * 300])
def test_values_of_any_name_pack(tmp_path: Path, name: str) -> None:
    model = convolution()
    model.graph.input[0].name = model.graph.node[0].input[0] = name
    model.graph.output[0].name = model.graph.node[1].output[0] = f"{name} out"
    manifest = pack(save(model, tmp_path / "small.onnx"))
    assert manifest.inputs[0].name == name
    assert {p.name for p in tmp_path.iterdir()} == {"small.onnx", "out"}


@pytest.mark.parametrize(
    "name", ["Größe.onnx", "模型.onnx", "a b'c\"d.onnx", "-rf.onnx", "index.onnx", ".onnx", "con.onnx"]
)
def test_files_of_any_name_pack(tmp_path: Path, name: str) -> None:
    manifest = pack(save(convolution(), tmp_path / name))
    assert (tmp_path / "out" / f"{manifest.name}.js").is_file()
    assert manifest.name.isascii()


def test_an_input_of_float64_packs_as_float32(tmp_path: Path) -> None:
    text = f"{HEADER} g (double[2,3] x) => (double[2,3] y) <double[3] w = {{1.5, 2.5, 3.5}}> {{ y = Mul (x, w) }}"
    manifest = pack(save(parsed(text), tmp_path / "m.onnx"))
    assert manifest.inputs[0].dtype == "float32"
    assert manifest.outputs[0].dtype == "float32"


def test_free_sizes_are_fixed_by_name(tmp_path: Path) -> None:
    text = f"{HEADER} g (float[batch,wide] x) => (float[batch,wide] y) {{ y = Relu (x) }}"
    manifest = pack(save(parsed(text), tmp_path / "m.onnx"), "--dim", "wide=7")
    assert manifest.inputs[0].shape == [1, 7]
    assert manifest.outputs[0].shape == [1, 7]
    assert "batch size is 1" in manifest.assumptions[0]


def test_an_output_of_unknown_shape_is_not_taken_for_a_number(tmp_path: Path) -> None:
    text = """<ir_version: 8, opset_import: ["" : 18, "com.microsoft" : 1]>
    g (float[batch,4] x) => (float[batch,4] y) { y = com.microsoft.Gelu (x) }"""
    manifest = pack(save(parsed(text), tmp_path / "m.onnx"))
    assert manifest.outputs[0].shape == [1, 4]


def test_a_model_without_inputs_or_of_several_packs(tmp_path: Path) -> None:
    text = f"""{HEADER} g (float[2] a, int64[2] b, bool[2] c) => (float[2] y, int64[2] z)
    {{ d = Cast <to = 1> (b) e = Add (a, d) y = Where (c, e, a) z = Add (b, b) }}"""
    manifest = pack(save(parsed(text), tmp_path / "m.onnx"))
    assert [spec.name for spec in manifest.inputs] == ["a", "b", "c"]


def test_a_model_of_tensors_is_not_a_pose(tmp_path: Path) -> None:
    assert refused(save(convolution(), tmp_path / "small.onnx"), "--task", "pose") == "task-mismatch"


def test_an_output_of_nothing_but_zeros_proves_nothing(tmp_path: Path) -> None:
    text = f"{HEADER} g (float[2,3] x) => (float[2,3] y) <float zero = {{0.0}}> {{ y = Mul (x, zero) }}"
    assert refused(save(parsed(text), tmp_path / "m.onnx")) == "vacuous-comparison"


def test_nan_is_never_proven(tmp_path: Path) -> None:
    text = f"{HEADER} g (float[2,3] x) => (float[2,3] y) <float zero = {{0.0}}> {{ a = Mul (x, zero) y = Div (a, a) }}"
    assert refused(save(parsed(text), tmp_path / "m.onnx")) in ("output-mismatch", "vacuous-comparison")


def test_the_report_lists_what_was_left_alone(tmp_path: Path) -> None:
    text = f"{HEADER} g (float[5,3] x) => (int64[5,1] y, float[5,3] z) {{ y = ArgMax <axis = 1> (x) z = Relu (x) }}"
    pack(save(parsed(text), tmp_path / "m.onnx"))
    rewrites = json.loads((tmp_path / "out" / "report.json").read_bytes())["rewrites"]["webgpu"]
    assert [(rewrite["code"], rewrite["applied"]) for rewrite in rewrites] == [("argmax-int32", False)]
    assert onnx.load(next((tmp_path / "out" / "model").glob("*.onnx")))
