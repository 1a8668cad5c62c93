"""Conversion of random graphs: valid, idempotent, near the original, no unnecessary casts."""

from __future__ import annotations

import numpy as np
import onnx
import onnx_ir as ir
from hypothesis import given
from hypothesis import strategies as st

from tests.native import Session
from tests.precision.case import measured
from tests.precision.random_graphs import SIZE, Drawn, graphs
from webbuild.precision.convert import Fp16Graph, plan_conversion
from webbuild.precision.fp16_backends import EmulatedFp16

KEEP = st.sets(st.integers(0, 8).map("n{}".format), max_size=4)


def converted(drawn: Drawn, keep: set[str]) -> Fp16Graph:
    return plan_conversion(drawn.model, measured()).convert(keep)


@given(graphs(), KEEP)
def test_it_is_valid_and_what_is_not_kept_is_float16(drawn: Drawn, keep: set[str]) -> None:
    found = converted(drawn, keep)
    onnx.checker.check_model(ir.to_proto(found.model), full_check=True)
    assert keep & {f"n{index}" for index in range(drawn.nodes)} <= set(found.fp32_reasons)
    for node in found.model.graph:
        if node.op_type != "Cast":
            wanted = ir.DataType.FLOAT if node.name in found.fp32_reasons else ir.DataType.FLOAT16
            assert node.outputs[0].dtype == wanted, node.name


@given(graphs(), KEEP)
def test_a_second_conversion_changes_nothing(drawn: Drawn, keep: set[str]) -> None:
    once = converted(drawn, keep)
    twice = plan_conversion(once.model, measured()).convert(keep)
    assert (twice.casts, twice.fp16_nodes) == (0, ())
    assert ir.to_proto(twice.model).graph.node == ir.to_proto(once.model).graph.node


@given(graphs(), KEEP)
def test_a_value_is_cast_once_in_each_direction_and_never_back(drawn: Drawn, keep: set[str]) -> None:
    casts = [node for node in converted(drawn, keep).model.graph if node.op_type == "Cast"]
    pairs = [(node.inputs[0], node.attributes.get_int("to")) for node in casts]
    assert len(set(pairs)) == len(pairs)
    for node in casts:
        assert node.inputs[0] is not None
        maker = node.inputs[0].producer()
        assert maker is None or maker.op_type != "Cast"
        assert any(value.uses() or value.is_graph_output() for value in node.outputs)


@given(graphs(), KEEP, st.integers(0, 5))
def test_the_numbers_are_near_the_originals(drawn: Drawn, keep: set[str], seed: int) -> None:
    found = converted(drawn, keep)
    feeds = {"x": np.random.default_rng(seed).uniform(-1, 1, (SIZE, SIZE)).astype(np.float32)}
    want = Session(drawn.model).run(feeds)
    with EmulatedFp16() as arithmetic:
        (emulated,) = arithmetic.run(found.model, [feeds])
    for got in (Session(found.model).run(feeds), emulated):
        for name, value in want.items():
            largest = 2 ** sum(node.op_type == "Sub" for node in drawn.model.graph)
            np.testing.assert_allclose(got[name], value, rtol=0, atol=(drawn.nodes + 1) * largest * 2.0**-11)
