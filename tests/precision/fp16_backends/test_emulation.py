"""Float16 emulated on the CPU: each value is rounded once, where it is computed."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir
import pytest
from numpy.typing import NDArray

from benchmarks.fp16.rounding import RoundedFp16
from tests.precision.fp16_backends.conftest import graph
from webbuild.errors import WebbuildError
from webbuild.precision.fp16_backends import Fp16Backend, emulation_graph
from webbuild.precision.fp16_backends.emulation_graph import build_emulation_graph


def run(text: str, **feeds: NDArray[Any]) -> dict[str, NDArray[Any]]:
    with RoundedFp16() as arithmetic:
        (found,) = arithmetic.run(graph(text), [feeds])
    return found


def half(*numbers: float) -> NDArray[np.float16]:
    return np.array(numbers, np.float16)


def single(*numbers: float) -> NDArray[np.float32]:
    return np.array(numbers, np.float32)


def test_it_is_an_arithmetic() -> None:
    arithmetic: Fp16Backend = RoundedFp16("of a reason")
    assert (arithmetic.name, arithmetic.reason) == ("emulated", "of a reason")


def test_what_a_node_makes_is_rounded_before_the_next_reads_it() -> None:
    a, b = half(1, 2048, 0.1), half(2**-12, 1, 0.2)
    found = run("g (float16[3] a, float16[3] b) => (float16[3] y) { s = Add(a, b)\n y = Sub(s, a) }", a=a, b=b)
    assert found["y"].dtype == np.float16
    np.testing.assert_array_equal(found["y"], (a + b) - a)
    assert found["y"][0] == 0  # in float32 it would be 2**-12
    assert found["y"][1] == 0


def test_what_is_too_large_is_infinite() -> None:
    text = "g (float[2] x) => (float[2] y) { h = Cast<to = 10>(x)\n s = Mul(h, h)\n r = Sqrt(s)\n y = Cast<to = 1>(r) }"
    found = run(text, x=single(300, 200))
    assert found["y"].dtype == np.float32
    assert found["y"].tolist() == [np.inf, 200]


def test_small_numbers_keep_what_float16_keeps() -> None:
    x = single(2**-24, 2**-26, 6.1e-5, -3e-6)
    found = run("g (float[4] x) => (float[4] y) { h = Cast<to = 10>(x)\n y = Cast<to = 1>(h) }", x=x)
    np.testing.assert_array_equal(found["y"], x.astype(np.float16).astype(np.float32))


def test_constants_and_attributes_of_float16_are_read() -> None:
    text = """g (float16[2] x) => (float16[2] y) <float16[1] w = {11878}>
    { c = Constant<value = float16[1] {16896}>()
      n = Constant<value_ints = [2]>()
      f = ConstantOfShape<value = float16[1] {18176}>(n)
      p = Mul(x, w)
      q = Add(p, c)
      y = Add(q, f) }"""
    x = half(1, 11)
    np.testing.assert_array_equal(run(text, x=x)["y"], x * np.float16(0.1) + np.float16(3) + np.float16(7))


def test_both_branches_of_an_if_are_rounded() -> None:
    text = """g (bool c, float16[1] x) => (float16[1] y) {
      y = If (c) <then_branch = t () => (float16[1] a) { s = Add(x, x)\n a = Sub(s, x) },
                  else_branch = e () => (float16[1] b) { m = Mul(x, x)\n b = Sub(m, x) }>
    }"""
    x = half(300)
    assert run(text, c=np.array(False), x=x)["y"].tolist() == [np.inf]
    assert run(text, c=np.array(True), x=x)["y"].tolist() == [300]


def test_a_branch_that_ends_in_a_sum_is_rounded() -> None:
    text = """g (bool c, float16[1] x) => (float[1] y) {
      h = If (c) <then_branch = t () => (float16[1] a) { a = Mul(x, x) },
                  else_branch = e () => (float16[1] b) { b = Add(x, x) }>
      y = Cast<to = 1>(h)
    }"""
    x = half(1.001)
    assert run(text, c=np.array(True), x=x)["y"] == np.float32(x * x)


def test_operators_that_only_move_numbers_cost_no_casts() -> None:
    made = build_emulation_graph(
        graph("g (float16[2,3] x) => (float16[3,2] y) { t = Transpose(x)\n y = Relu(t) }"), kernel_errors=False
    )
    assert [node.op_type for node in made.graph] == ["Transpose", "Relu"]


def test_a_scatter_that_adds_is_rounded() -> None:
    text = """g (float16[1] x, int64[1,1] i, float16[1] u) => (float[1] y)
    { s = ScatterND<reduction = "add">(x, i, u)\n y = Cast<to = 1>(s) }"""
    found = run(text, x=half(2048), i=np.zeros((1, 1), np.int64), u=half(1))
    assert found["y"].tolist() == [2048]


def test_the_given_model_stays_as_it_is() -> None:
    given = graph("g (float16[2] x) => (float16[2] y) { y = Exp(x) }")
    before = ir.to_proto(given).SerializeToString()
    RoundedFp16().run(given, [{"x": half(1, 2)}])
    assert ir.to_proto(given).SerializeToString() == before


def test_every_input_has_its_answer() -> None:
    feeds = [{"x": half(number, 0)} for number in (1, 2, 3)]
    found = RoundedFp16().run(graph("g (float16[2] x) => (float16[2] y) { y = Add(x, x) }"), feeds)
    assert [each["y"][0] for each in found] == [2, 4, 6]


def test_a_graph_is_built_once_for_the_runs_of_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[ir.Model] = []

    def build(model: ir.Model, *, kernel_errors: bool) -> ir.Model:
        built.append(model)
        return build_emulation_graph(model, kernel_errors=kernel_errors)

    monkeypatch.setattr(emulation_graph, "build_emulation_graph", build)
    sums, products = (graph(f"g (float16[1] x) => (float16[1] y) {{ y = {op}(x, x) }}") for op in ("Add", "Mul"))
    with RoundedFp16() as arithmetic:
        found = [arithmetic.run(model, [{"x": half(3)}])[0]["y"] for model in (sums, sums, products, sums)]
    assert [each.item() for each in found] == [6, 6, 9, 6]
    assert built == [sums, products, sums]


def test_random_numbers_begin_again_in_each_run_of_a_model() -> None:
    model = graph("g (float16[3] x) => (float16[3] y) { r = RandomUniformLike<seed = 1.0>(x)\n y = Add(x, r) }")
    with RoundedFp16() as arithmetic:
        first, again = (arithmetic.run(model, [{"x": half(1, 2, 3)}])[0]["y"] for _ in range(2))
    np.testing.assert_array_equal(first, again)


def test_what_native_onnx_runtime_refuses_is_told() -> None:
    with pytest.raises(WebbuildError, match=r"float16, emulated: .*cannot load it") as raised:
        RoundedFp16().run(graph("g (float16[2] x) => (float16[2] y) { y = NoSuchOperator(x) }"), [])
    assert raised.value.code == "fp16-backend-failed"
