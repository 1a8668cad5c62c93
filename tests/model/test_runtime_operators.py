"""ONNX Runtime's own operators: onnx.checker refuses some, native ONNX Runtime runs them, shapes are inferred."""

from __future__ import annotations

from pathlib import Path

import onnx_ir as ir
import pytest

from tests.commands.program import webbuild
from tests.inspection.test_kernels import outcome
from tests.models import as_ir, parsed, save
from webbuild.errors import WebbuildError
from webbuild.model.load import load_onnx
from webbuild.passes.analysis.shape_inference import infer_shapes

NORMALIZED = """<ir_version: 8, opset_import: ["" : 12]>
normalized (float[2,16] x) => (float[2,16] y) <float[16] s = {0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1,1,1,1,1,1,1}>
{
  n = %s (x, s)
  y = Relu (n)
}
"""
EARLY = ["LayerNormalization", "SimplifiedLayerNormalization"]


def inner_shape(nodes: str, inputs: str, opset: int = 17) -> ir.Shape | None:
    model = as_ir(f"""<ir_version: 8, opset_import: ["" : {opset}, "com.microsoft" : 1]>
    g ({inputs}) => (float[rest] y) {{ a = {nodes} b = Relu (a) y = Flatten (b) }}""")
    infer_shapes(model)
    return next(node for node in model.graph if node.op_type == "Relu").outputs[0].shape


@pytest.mark.parametrize("op", EARLY)
def test_what_native_loads_packs_and_the_output_says_what_the_checker_has_against_it(tmp_path: Path, op: str) -> None:
    path = save(parsed(NORMALIZED % op), tmp_path / "m.onnx")
    done = webbuild("pack", path, "-o", tmp_path / "out", "--no-verify")
    assert done.code == 0, done.stderr
    assert f"though onnx.checker says: No Op registered for {op}" in done.stderr + done.stdout


def test_what_neither_takes_is_refused_with_the_checkers_word(tmp_path: Path) -> None:
    text = (NORMALIZED % EARLY[0]).replace("(x, s)", "<axis = 7> (x, s)")
    with pytest.raises(WebbuildError, match="No Op registered") as caught:
        load_onnx(save(parsed(text), tmp_path / "m.onnx"))
    assert caught.value.code == "invalid-model"


@pytest.mark.parametrize("op", EARLY)
def test_they_have_gpu_kernels_below_opset_17(op: str) -> None:
    assert outcome(f"(float[2,16] x, float[16] s) => (float[2,16] y) {{ y = {op} (x, s) }}", 12) == "gpu"


@pytest.mark.parametrize(
    ("node", "inputs", "opset", "shape"),
    [
        ("LayerNormalization (x, s)", "float[2,16] x, float[16] s", 12, [2, 16]),
        ("SimplifiedLayerNormalization (x, s)", "float[2,16] x, float[16] s", 17, [2, 16]),
        ("com.microsoft.SkipLayerNormalization (x, z, s)", "float[2,16] x, float[2,16] z, float[16] s", 17, [2, 16]),
        ('com.microsoft.FusedConv <activation = "Relu", pads = [1,1,1,1]> (x, w)', "float[1,3,8,8] x, float[4,3,3,3] w",
         17, [1, 4, 8, 8]),
        ("com.microsoft.FusedGemm <transB = 1> (x, w)", "float[2,3] x, float[5,3] w", 17, [2, 5]),
        ("com.microsoft.FusedMatMul <alpha = 2.0> (x, w)", "float[2,3] x, float[3,5] w", 17, [2, 5]),
        ("com.microsoft.MatMulNBits <K = 32, N = 5, bits = 4, block_size = 32> (x, w, s)",
         "float[3,32] x, uint8[5,1,16] w, float[5] s", 17, [3, 5]),
        ("com.microsoft.FusedMatMul <transB = 1> (x, w)", "float[2,3] x, float[5,3] w", 17, None),
    ],
)  # fmt: skip
def test_shapes_go_on_behind_them(node: str, inputs: str, opset: int, shape: list[int] | None) -> None:
    assert inner_shape(node, inputs, opset) == (None if shape is None else ir.Shape(shape))


def test_the_sum_beside_a_normalization_has_a_shape_too() -> None:
    model = as_ir("""<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
    g (float[2,16] x, float[2,16] z, float[16] s) => (float[rest] y)
    { a, m, v, b = com.microsoft.SkipLayerNormalization (x, z, s) c = Relu (b) y = Flatten (c) }""")
    infer_shapes(model)
    assert next(node for node in model.graph if node.op_type == "Relu").outputs[0].shape == ir.Shape([2, 16])
