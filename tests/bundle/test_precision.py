"""What a report says of the precision of a graph."""

from __future__ import annotations

import onnx_ir as ir

from tests.models import HEADER, as_ir, convolution
from webbuild.bundle.precision import precision


def test_a_model_of_float32_stays_one_and_the_report_says_why() -> None:
    said = precision(ir.from_proto(convolution()))
    assert said.startswith("float32, as exported")
    assert "65,504" in said


def test_a_model_of_halves_stays_one_too() -> None:
    model = as_ir(
        f"{HEADER} g (float16[2] x) => (float16[2] y) <float16[2] w = {{1, 2}}, int64 i = {{0}}> {{ y = Add (x, w) }}"
    )
    assert precision(model).startswith("1 of 1 weights are float16")
