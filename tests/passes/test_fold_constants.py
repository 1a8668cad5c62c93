"""Constants that NumPy computes with a warning, which would print a path of its source on the terminal."""

from __future__ import annotations

import onnx_ir as ir
import pytest

from tests.models import HEADER, as_ir, parsed
from webbuild.passes.base import PassOptions
from webbuild.passes.simplify.fold_constants import FoldConstants


@pytest.mark.filterwarnings("error")
def test_zero_by_zero_is_folded_without_a_warning() -> None:
    text = f"""{HEADER} sinc (float[3] x) => (float[3] y) <float[3] a = {{0.0, 1.0, 2.0}}, float one = {{1.0}}> {{
      zero = Sub (one, one) s = Sin (a) d = Div (s, a) k = Equal (a, zero) w = Where (k, one, d) y = Mul (x, w)
    }}"""
    model = ir.serde.deserialize_model(parsed(text))
    FoldConstants().apply(model, PassOptions())
    assert [node.op_type for node in model.graph] == ["Mul"]


def test_a_folded_output_has_no_notes_of_the_optimizer() -> None:
    model = as_ir(
        '<ir_version: 8, opset_import: ["" : 18]> g (float[1,3,8,8] x) => (int64[4] y, int64[4] z) '
        "{ s = Shape (x) y = Neg (s) z = Abs (y) }"
    )
    assert FoldConstants().apply(model, PassOptions())
    assert [dict(value.metadata_props) for value in model.graph.outputs] == [{}, {}]
    assert [dict(value.metadata_props) for node in model.graph for value in node.outputs if value.metadata_props] == []
