"""A graph is loaded without the engine's optimizer if the optimizer would change nothing."""

from __future__ import annotations

import onnx_ir as ir
import pytest

from webbuild.inspection.engine_optimizer import gains_by_engine_optimizer

GAINS = {
    "an activation that becomes part of a convolution": "c = Conv (x, w) y = Relu (c)",
    "a GELU": "y = Erf (x)",
    "whole numbers": "y, s, z = DynamicQuantizeLinear (x)",
}
NOTHING = {
    "SiLU, whose convolution is read twice": "c = Conv (x, w) s = Sigmoid (c) y = Mul (c, s)",
    "an activation after something else": "c = Add (x, x) y = Relu (c)",
    "a convolution that is an answer": "y = Conv (x, w)",
}


def graph(body: str) -> ir.Model:
    output = "uint8[N] y" if "Quantize" in body else "float[1, 1, 2, 2] y"
    return ir.from_onnx_text(
        f"""<ir_version: 8, opset_import: ["" : 17]>
        g (float[1, 1, 2, 2] x, float[1, 1, 1, 1] w) => ({output}) {{ {body} }}"""
    )


@pytest.mark.parametrize("body", GAINS.values(), ids=GAINS)
def test_gains(body: str) -> None:
    assert gains_by_engine_optimizer(graph(body))


@pytest.mark.parametrize("body", NOTHING.values(), ids=NOTHING)
def test_gains_nothing(body: str) -> None:
    assert not gains_by_engine_optimizer(graph(body))
