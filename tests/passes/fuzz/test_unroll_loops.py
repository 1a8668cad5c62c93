"""An unrolled loop computes the same as the loop; so do tensors that went through a sequence."""

from __future__ import annotations

import numpy as np
import onnx
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.simplify.eliminate_sequences import EliminateSequences
from webbuild.passes.static_shapes.unroll_loops import UnrollLoops

_DIRECTIONS = ("input_directions", "output_directions")
STEPS = ("Add", "Sub", "Mul")


def tensor(name: str, kind: int = TensorProto.FLOAT, shape: tuple[int, ...] | None = None) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, kind, shape)


@given(
    rounds=st.integers(0, 6), steps=st.lists(st.sampled_from(STEPS), min_size=1, max_size=4), opset=st.integers(11, 22)
)
def test_a_loop_computes_the_same(rounds: int, steps: list[str], opset: int) -> None:
    nodes = [helper.make_node("Cast", ["i"], ["v0"], to=TensorProto.FLOAT)]
    nodes += [helper.make_node(op, [f"v{n}", "state" if n % 2 else "x"], [f"v{n + 1}"]) for n, op in enumerate(steps)]
    nodes += [
        helper.make_node("Tanh", [f"v{len(steps)}"], ["next"]),
        helper.make_node("Identity", ["go"], ["on"]),
    ]
    given_to = [tensor("i", TensorProto.INT64, ()), tensor("go", TensorProto.BOOL, ()), tensor("state")]
    body = helper.make_graph(nodes, "body", given_to, [tensor("on", TensorProto.BOOL, ()), tensor("next")])
    x = np.random.default_rng(rounds).uniform(-1, 1, (2, 3)).astype(np.float32)
    loop = helper.make_node("Loop", ["rounds", "", "x"], ["last"], body=body)
    after = helper.make_node("Reshape", ["last", "flat"], ["y"])
    weights = {"rounds": np.array(rounds, np.int64), "flat": np.array([-1], np.int64)}
    model = model_of([loop, after], {"x": x}, opset, weights)
    assert_same(model, UnrollLoops, {"x": x})


@given(
    shape=st.tuples(st.integers(1, 4), st.integers(1, 4)),
    axis=st.sampled_from((0, 1, -1)),
    out=st.sampled_from((0, 1, -1)),
    back=st.tuples(st.booleans(), st.booleans()),
    opset=st.integers(9, 22),
)
def test_a_scan_computes_the_same(
    shape: tuple[int, int], axis: int, out: int, back: tuple[bool, bool], opset: int
) -> None:
    x = np.random.default_rng(shape[0]).uniform(-1, 1, shape).astype(np.float32)
    start = np.ones(shape[1 - axis % 2], np.float32)
    nodes = [helper.make_node("Add", ["state", "row"], ["next"]), helper.make_node("Neg", ["next"], ["told"])]
    names = (("state", "row"), ("next", "told"))
    given_to, made = ([tensor(name, shape=start.shape) for name in pair] for pair in names)
    body = helper.make_graph(nodes, "body", given_to, made)
    scan = helper.make_node("Scan", ["start", "x"], ["last", "y"], body=body, num_scan_inputs=1)
    for name, value in (("input_axes", axis), ("output_axes", out), *zip(_DIRECTIONS, map(int, back), strict=True)):
        scan.attribute.append(helper.make_attribute(f"scan_{name}", [value]))
    feeds = {"start": start, "x": x}
    assert_same(model_of([scan], feeds, opset), UnrollLoops, feeds)


@given(
    places=st.lists(st.integers(-3, 3), min_size=1, max_size=5),
    erased=st.booleans(),
    stacked=st.booleans(),
    axis=st.integers(0, 1),
    opset=st.integers(11, 17),
)
def test_a_sequence_holds_the_same(places: list[int], erased: bool, stacked: bool, axis: int, opset: int) -> None:
    nodes, length = [helper.make_node("SequenceEmpty", [], ["s0"])], 0
    for number, place in enumerate(places):
        nodes.append(helper.make_node("Mul", ["x", f"by{number}"], [f"e{number}"]))
        at = [f"at{number}"] if -length <= place <= length and length else []
        nodes.append(helper.make_node("SequenceInsert", [f"s{number}", f"e{number}", *at], [f"s{number + 1}"]))
        length += 1
    last = f"s{length}"
    if erased and length > 1:
        nodes.append(helper.make_node("SequenceErase", [last, "at0"], ["rest"]))
        last = "rest"
    nodes.append(helper.make_node("ConcatFromSequence", [last], ["all"], axis=axis, new_axis=int(stacked)))
    nodes.append(helper.make_node("Reshape", ["all", "flat"], ["y"]))
    weights = {f"by{number}": np.array(number + 2, np.float32) for number in range(length)}
    weights |= {f"at{number}": np.array(place if number else -1, np.int64) for number, place in enumerate(places)}
    weights["flat"] = np.array([-1], np.int64)
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert_same(model_of(nodes, {"x": x}, opset, weights), EliminateSequences, {"x": x})
