"""Small random graphs that do not amplify errors much: no operator is steep for its inputs."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
from hypothesis import strategies as st
from msgspec import Struct

from webbuild.passes.analysis import shape_inference

SIZE = 8
ONE = ("Relu", "Sigmoid", "Tanh", "Softmax", "Transpose", "Neg", "MatMul", "Reshape")
TWO = ("Max", "Min", "Mean", "Sub")


class Drawn(Struct, frozen=True):
    """A graph, and how many nodes it has."""

    model: ir.Model
    nodes: int


@st.composite
def graphs(draw: st.DrawFn) -> Drawn:
    """Draw a graph of one input and one or two outputs, nodes called n0, n1 and so on."""
    count = draw(st.integers(2, 9))
    lines = []
    for index in range(count):
        names = ["x", *(f"v{number}" for number in range(index))]
        op = draw(st.sampled_from([*ONE, *TWO]))
        first, second = draw(st.sampled_from(names)), draw(st.sampled_from(names))
        given = {"MatMul": f"{first}, weight", "Reshape": f"{first}, shape"}.get(op, first)
        lines.append(f"[n{index}] v{index} = {op} ({f'{first}, {second}' if op in TWO else given})")
    outputs = sorted({f"v{count - 1}", draw(st.sampled_from([f"v{index}" for index in range(count)]))})
    told = ", ".join(f"float[{SIZE},{SIZE}] {name}" for name in outputs)
    generator = np.random.default_rng(draw(st.integers(0, 99)))
    weights = generator.normal(0, 1, (SIZE, SIZE))
    numbers = ", ".join(f"{value:.5f}" for value in (weights / np.abs(weights).sum(0)).ravel())
    model = ir.from_onnx_text(
        f'<ir_version: 8, opset_import: ["" : 17]>\ng (float[{SIZE},{SIZE}] x) => ({told})\n'
        f"<float[{SIZE},{SIZE}] weight = {{{numbers}}}, int64[2] shape = {{{SIZE}, {SIZE}}}>\n"
        f"{{\n{chr(10).join(lines)}\n}}"
    )
    shape_inference.infer_shapes(model)
    return Drawn(model, count)
