"""Rounding inside an operator: the emulation is at least as inexact as the measured adapter."""

from __future__ import annotations

from functools import cache

import msgspec
import numpy as np
import onnx_ir as ir
import pytest

from benchmarks.fp16.__main__ import STORE
from benchmarks.fp16.case import Fp16Case
from benchmarks.fp16.measure import measure
from benchmarks.fp16.operators import operators
from benchmarks.fp16.report import Fp16Measurement
from benchmarks.fp16.rounding import RoundedFp16
from tests.precision.fp16_backends.conftest import graph
from webbuild.precision.fp16_backends import EmulatedFp16
from webbuild.precision.fp16_backends.emulation_graph import build_emulation_graph
from webbuild.precision.fp16_backends.error_draws import INPUT, draw_input
from webbuild.runners.tensors import Tensors

CASES = {case.name: case for case in operators()}
SUMS = ("Conv", "MatMul", "Gemm", "Einsum", "AveragePool", "CumSum")
ON_ADAPTER = ("Chromium", "Dawn on lavapipe")
"""The column names of an adapter."""
LOSES_DIGITS = "g (float16[1,2048] x, float16[2048,4] w) => (float[1,4] y) { s = MatMul(x, w)\n y = Cast<to = 1>(s) }"


def bounded(case: Fp16Case) -> Tensors:
    return EmulatedFp16().run(ir.from_proto(case.model(np.float16)), [case.fed(np.float16)])[0]


@cache
def measured() -> dict[str, float]:
    """Return the adapter's error against float32, by operator."""
    found = msgspec.json.decode(STORE.read_bytes(), type=Fp16Measurement)
    figures = {
        row.name: next(row.float32_error[each] for each in ON_ADAPTER if each in row.float32_error)
        for row in found.operators
    }
    return {name: figure for name, figure in figures.items() if not isinstance(figure, str)}


@pytest.mark.parametrize("name", [name for name in CASES if name in measured()])
def test_no_operator_of_the_adapter_is_further_from_float32_than_the_bound(name: str) -> None:
    (found,) = measure([CASES[name]], {"bounded": bounded})
    figure = found.off("bounded")
    assert not isinstance(figure, str), figure
    assert measured()[name] <= figure * 1.001
    if name.startswith(SUMS):
        assert figure <= 6 * measured()[name], "the bound refuses what no adapter gets wrong"


def cancelling() -> Tensors:
    """Return inputs for a sum of two halves that cancel, leaving 1."""
    x = np.full((1, 2048), 2, np.float16)
    x[0, 0] = 3
    w = np.ones((2048, 4), np.float16)
    w[1024:] = -1
    return {"x": x, "w": w}


def test_a_sum_that_loses_digits_on_its_way_is_off() -> None:
    given = cancelling()
    (exact,), (found,) = (backend.run(graph(LOSES_DIGITS), [given]) for backend in (RoundedFp16(), EmulatedFp16()))
    assert exact["y"].tolist() == [[1, 1, 1, 1]]
    assert np.abs(found["y"] - 1).max() > 0.5
    assert np.abs(found["y"] - 1).max() < 64


def test_the_same_inputs_have_the_same_errors_and_others_others() -> None:
    given = cancelling()
    other = {**given, "x": given["x"] + np.float16(0.5)}
    first, again, third = EmulatedFp16().run(graph(LOSES_DIGITS), [given, other, given])
    (alone,) = EmulatedFp16().run(graph(LOSES_DIGITS), [other])
    np.testing.assert_array_equal(first["y"], third["y"])
    np.testing.assert_array_equal(again["y"], alone["y"])
    assert (first["y"] - 1 != again["y"] - 1.5).any()
    assert draw_input(given) != draw_input(other)


@pytest.mark.parametrize(
    "text",
    [
        "y = Transpose(x)",
        "y = Relu(x)",
        "y = Add(x, x)",
        "y = Where(c, x, x)",
        'y = Resize<mode = "nearest">(x, , scales)',
    ],
)
def test_what_moves_numbers_or_rounds_once_has_no_error(text: str) -> None:
    made = build_emulation_graph(
        graph(f"""g (float16[2,2] x, bool c) => (float16[n,m] y) <float[2] scales = {{2, 2}}> {{ {text} }}"""),
        kernel_errors=True,
    )
    assert [value.name for value in made.graph.inputs] == ["x", "c", INPUT]
    assert {node.op_type for node in made.graph} <= {"Transpose", "Relu", "Add", "Where", "Resize", "Cast"}


@pytest.mark.parametrize(
    "sums",
    [
        "MatMul(z, w)",
        "Gemm<alpha = 2.0>(z, w)",
        'Einsum<equation = "ab,bc->ac">(z, w)',
        "ReduceSum(z, last)",
        "ReduceMean(z, last)",
        "ReduceL2(z, last)",
        "CumSum(z, axis)",
    ],
)
def test_a_sum_of_unknown_shape_is_as_inexact_as_one_of_known_shape(sums: str) -> None:
    text = """g (float16[1,2048] x, float16[2048,4] w, int64[2] shape) => (float[n,m] y)
    <int64[1] last = {1}, int64 axis = {1}> { z = Reshape(x, %s)\n s = %s\n y = Cast<to = 1>(s) }"""
    generator = np.random.default_rng(0)
    given = {"x": generator.normal(0, 1, (1, 2048)), "w": generator.normal(0, 1, (2048, 4))}
    feeds = {**{name: value.astype(np.float16) for name, value in given.items()}, "shape": np.array([1, 2048])}
    fixed = text.replace("last =", "fixed = {1, 2048}, int64[1] last =").replace("int64[1] fixed", "int64[2] fixed")
    (known,), (unknown,) = (
        EmulatedFp16().run(graph(each), [feeds]) for each in (fixed % ("fixed", sums), text % ("shape", sums))
    )
    (exact,) = RoundedFp16().run(graph(text % ("shape", sums)), [feeds])
    off, expected = (np.abs(each["y"] - exact["y"]).max() for each in (unknown, known))
    assert expected > 0
    assert expected / 20 < off < expected * 20
