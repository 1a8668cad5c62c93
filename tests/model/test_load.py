"""Loading a model: an unreadable model is refused with a fix."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import onnx
import pytest

from tests.models import HEADER, convolution, parsed, save
from webbuild.errors import FAILED, USAGE, WebbuildError
from webbuild.model.load import load_onnx
from webbuild.model.signature import TensorSpec


def refusal(path: Path) -> WebbuildError:
    with pytest.raises(WebbuildError) as caught:
        load_onnx(path)
    assert caught.value.fix
    assert str(path) in caught.value.message
    return caught.value


def test_a_model_tells_its_hash_size_interface_and_metadata(tmp_path: Path) -> None:
    path = save(convolution(metadata={"license": "CC0"}), tmp_path / "small.onnx")
    source = load_onnx(path)
    assert source.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert source.size == path.stat().st_size
    assert source.signature.inputs == (TensorSpec("x", "float32", (1, 3, 8, 8)),)
    assert source.signature.outputs == (TensorSpec("y", "float32", (1, 4, 8, 8), "Relu"),)
    assert source.signature.metadata == {"license": "CC0"}


def test_free_dimensions_keep_their_names_and_initializers_are_no_inputs(tmp_path: Path) -> None:
    text = f"""{HEADER} g (float[n,3,"two words"] x, float[1] w) => (float[n,3,m] y) <float[1] w = {{2.0}}>
    {{ y = Mul (x, w) }}"""
    model = parsed(text.replace('"two words"', "N"))
    model.graph.input[0].type.tensor_type.shape.dim[1].Clear()
    facts = load_onnx(save(model, tmp_path / "free.onnx")).signature
    assert facts.inputs == (TensorSpec("x", "float32", ("n", None, "N")),)


@pytest.mark.parametrize("name", ["?", "", "None"])
def test_a_dimension_named_for_any_size_has_no_name(tmp_path: Path, name: str) -> None:
    model = parsed(f"{HEADER} g (float[n,3,h,w] x) => (float[n,3,h,w] y) {{ y = Neg (x) }}")
    for dim in model.graph.input[0].type.tensor_type.shape.dim[2:]:
        dim.dim_param = name
    facts = load_onnx(save(model, tmp_path / "any.onnx")).signature
    assert facts.inputs == (TensorSpec("x", "float32", ("n", 3, None, None)),)


def test_a_file_that_is_not_there_is_an_error_of_usage(tmp_path: Path) -> None:
    error = refusal(tmp_path / "nothing.onnx")
    assert (error.code, error.exit_code) == ("model-not-found", USAGE)


def test_a_folder_is_no_model(tmp_path: Path) -> None:
    assert refusal(tmp_path).code == "model-not-found"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"hello",
        b"PK\x03\x04" + bytes(100),
        b"{}",
        b"\x89PNG\r\n\x1a\n" + bytes(50),
        bytes(1000),
        b"\x08\x08",
    ],
    ids=["empty", "newline", "text", "zip", "json", "png", "zeros", "a version and no more"],
)
def test_what_is_not_onnx_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(data)
    error = refusal(path)
    assert error.code == "not-onnx"
    assert error.exit_code == (USAGE if "looks like" in error.message else FAILED)


@pytest.mark.parametrize("seed", range(30))
def test_random_bytes_are_refused(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(np.random.default_rng(seed).bytes(10 + 40 * seed))
    assert refusal(path).code in ("not-onnx", "invalid-model")


@pytest.mark.parametrize("part", [0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99])
def test_a_file_that_is_cut_off_is_refused(tmp_path: Path, part: float) -> None:
    data = convolution().SerializeToString()
    path = tmp_path / "model.onnx"
    path.write_bytes(data[: int(len(data) * part)])
    assert refusal(path).code in ("not-onnx", "invalid-model")


def test_an_operator_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    model = convolution()
    model.graph.node[1].op_type = "Rleu"
    error = refusal(save(model, tmp_path / "m.onnx"))
    assert error.code == "unknown-operators"
    assert "Rleu" in error.message


def test_a_value_that_nothing_computes_is_refused(tmp_path: Path) -> None:
    model = convolution()
    model.graph.node[1].input[0] = "nobody"
    assert refusal(save(model, tmp_path / "m.onnx")).code == "invalid-model"


def test_a_model_that_both_engines_refuse_has_both_reasons(tmp_path: Path) -> None:
    model = convolution()
    model.graph.name = ""
    model.graph.output[0].type.tensor_type.elem_type = onnx.TensorProto.INT32
    message = refusal(save(model, tmp_path / "m.onnx")).message
    assert "Field 'name' of 'graph' is required" in message
    assert "native ONNX Runtime says: " in message
    assert "(tensor(int32)) of output arg (y)" in message


def test_weights_shorter_than_their_shape_are_refused(tmp_path: Path) -> None:
    model = convolution()
    model.graph.initializer[-1].raw_data = model.graph.initializer[-1].raw_data[:-5]
    assert refusal(save(model, tmp_path / "m.onnx")).code == "invalid-model"


def test_operators_of_another_domain_are_loaded(tmp_path: Path) -> None:
    model = parsed("""<ir_version: 8, opset_import: ["" : 18, "com.microsoft" : 1]>
    g (float[2,3] x) => (float[2,3] y) { y = com.microsoft.Gelu (x) }""")
    assert load_onnx(save(model, tmp_path / "m.onnx")).signature.outputs[0].name == "y"


def test_the_model_on_disk_is_left_as_it_is(tmp_path: Path) -> None:
    path = save(convolution(), tmp_path / "m.onnx")
    before = path.read_bytes()
    load_onnx(path)
    assert path.read_bytes() == before
    assert onnx.load(path) == convolution()
