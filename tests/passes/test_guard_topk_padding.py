"""The scores of a TopK may be masked in another type than it sorts."""

from __future__ import annotations

import warnings
from pathlib import Path

import onnx_ir as ir

from webbuild.passes.analysis.shape_inference import infer_shapes
from webbuild.passes.base import PassOptions
from webbuild.passes.workarounds.guard_topk_padding import GuardTopkPadding
from webbuild.targets.table import load_table
from webbuild.targets.target import Target

_CASE = Path(__file__).parent / "cases/guard-topk-padding/a_mask_in_half_precision.onnx.txt"


def test_the_limit_of_float32_is_compared_with_float16_without_a_warning() -> None:
    model = ir.from_onnx_text(_CASE.read_text("utf-8").partition("\n")[2])
    infer_shapes(model)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rewrites = GuardTopkPadding().apply(model, PassOptions(table=load_table(Target("1.30.0", "webgpu"))))
    assert [rewrite.applied for rewrite in rewrites] == [True]
