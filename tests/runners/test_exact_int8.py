"""Native products of quantized numbers equal ONNX's definition, also on CPUs that would saturate the sums."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from tests.models import parsed, save
from webbuild.runners.exact_int8 import with_uint8_weights
from webbuild.runners.native import NativeRunner

WEIGHTS = ",".join(["127", "-128"] * 48)
INTEGER = f"""<ir_version: 8, opset_import: ["" : 14]>
product (uint8[2,32] x) => (int32[2,3] y) <int8[32,3] w = {{{WEIGHTS}}}, uint8 zx = {{3}}, int8[3] zw = {{-4, 0, 5}}>
{{ y = MatMulInteger (x, w%s) }}"""
QLINEAR = f"""<ir_version: 8, opset_import: ["" : 14]>
product (%s[2,32] x) => (%s[2,3] y)
<int8[32,3] w = {{{WEIGHTS}}}, float s = {{1.0}}, float sy = {{9000.0}}, %s z = {{7}}, int8 zw = {{-2}}>
{{ y = QLinearMatMul (x, s, z, w, s, zw, sy, z) }}"""
LARGE = np.random.default_rng(0).integers(200, 256, (2, 32), np.uint8)


def weights() -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    return np.array(WEIGHTS.split(","), np.int64).reshape(32, 3)


@pytest.mark.parametrize(("more", "data", "zero"), [("", 0, 0), (", zx, zw", 3, np.array([-4, 0, 5]))])
def test_a_product_of_large_numbers_is_not_cut_off(tmp_path: Path, more: str, data: int, zero: int) -> None:
    path = save(parsed(INTEGER % more), tmp_path / "m.onnx")
    exact = (LARGE.astype(np.int64) - data) @ (weights() - zero)
    assert np.array_equal(NativeRunner(path).run({"x": LARGE})["y"], exact)
    made = onnx.load_from_string(with_uint8_weights(path) or b"")
    assert {tensor.data_type for tensor in made.graph.initializer if tensor.name in made.graph.node[0].input} <= {2}


def test_a_product_that_is_quantized_again_is_exact_too(tmp_path: Path) -> None:
    path = save(parsed(QLINEAR % (("uint8",) * 3)), tmp_path / "m.onnx")
    exact = np.clip(np.rint((LARGE.astype(np.int64) - 7) @ (weights() + 2) / 9000) + 7, 0, 255)
    assert np.array_equal(NativeRunner(path).run({"x": LARGE})["y"], exact)


def test_what_is_right_as_it_is_stays(tmp_path: Path) -> None:
    path = save(parsed(QLINEAR % (("int8",) * 3)), tmp_path / "m.onnx")
    assert with_uint8_weights(path) is None
    plain = save(parsed("""<ir_version: 8, opset_import: ["" : 14]> m (float[2] x) => (float[2] y) { y = Neg (x) }"""),
                 tmp_path / "plain.onnx")  # fmt: skip
    assert with_uint8_weights(plain) is None


def test_weights_beside_the_model_are_read_and_the_others_stay_there(tmp_path: Path) -> None:
    model = parsed(INTEGER % "")
    model.graph.initializer.append(numpy_helper.from_array(np.zeros(2000, np.float32), "unused"))
    onnx.save(model, tmp_path / "m.onnx", save_as_external_data=True, size_threshold=0, location="m.data")
    runner = NativeRunner(tmp_path / "m.onnx")
    assert np.array_equal(runner.run({"x": LARGE})["y"], LARGE.astype(np.int64) @ weights())
    made = onnx.load_from_string(with_uint8_weights(tmp_path / "m.onnx") or b"")
    assert [tensor.data_location for tensor in made.graph.initializer if tensor.name == "unused"] == [1]


def test_a_product_in_a_branch_is_exact(tmp_path: Path) -> None:
    text = f"""<ir_version: 8, opset_import: ["" : 14]>
    branch (uint8[2,32] x, bool c) => (int32[2,3] y)
    {{ y = If (c) <
        then_branch = a () => (int32[2,3] t) <int8[32,3] w = {{{WEIGHTS}}}> {{ t = MatMulInteger (x, w) }},
        else_branch = b () => (int32[2,3] e) {{ e = Constant <value = int32[2,3] {{0,0,0,0,0,0}}> () }}> }}"""
    path = save(parsed(text), tmp_path / "m.onnx")
    found = NativeRunner(path).run({"x": LARGE, "c": np.array(True)})["y"]
    assert np.array_equal(found, LARGE.astype(np.int64) @ weights())
