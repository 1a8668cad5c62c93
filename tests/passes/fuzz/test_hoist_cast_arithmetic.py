"""Integer arithmetic before a cast to floats or booleans: sums, products, other shapes."""

from __future__ import annotations

import numpy as np
import onnx
from hypothesis import assume, given
from hypothesis import strategies as st
from onnx import helper

from tests.passes.fuzz.model import assert_same, fires, model_of
from webbuild.passes.dtypes.hoist_cast_arithmetic import HoistCastArithmetic

STEPS = ("Add", "Sub", "Mul", "Neg", "CumSum", "Identity", "Unsqueeze", "Reshape", "Transpose", "Tile", "Expand")
make = helper.make_node


def step(
    op: str, at: int, value: str, array: np.ndarray, data: st.DataObject
) -> tuple[onnx.NodeProto, dict[str, np.ndarray], np.ndarray]:
    """Return a node, its constants, and its output."""
    held, name, rank = f"c{at}", f"v{at}", array.ndim
    generator = np.random.default_rng(at)
    match op:
        case "Add" | "Sub" | "Mul" if data.draw(st.integers(0, 4)) == 0:  # constants only
            function = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply}[op]
            return make(op, [value, value], [name]), {}, function(array, array)
        case "Add" | "Sub" | "Mul":
            far = data.draw(st.sampled_from((2, 100, 2**24, 2**40))) if op != "Mul" else 8
            other = generator.integers(-far, far, data.draw(st.sampled_from(((), (1,), array.shape))))
            function = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply}[op]
            first = data.draw(st.booleans())
            made = function(other, array) if first else function(array, other)
            return make(op, [held, value] if first else [value, held], [name]), {held: other}, made
        case "Neg" | "Identity":
            return make(op, [value], [name]), {}, -array if op == "Neg" else array
        case "CumSum":
            axis, backwards, exclusive = (
                data.draw(st.integers(-rank, rank - 1)),
                *(data.draw(st.booleans()) for _ in "ab"),
            )
            node = make(op, [value, held], [name], reverse=int(backwards), exclusive=int(exclusive))
            turned = np.flip(array, axis) if backwards else array
            summed = np.cumsum(turned, axis) - (turned if exclusive else 0)
            return node, {held: np.array(axis)}, np.flip(summed, axis) if backwards else summed
        case "Unsqueeze":
            axis = data.draw(st.integers(0, rank))
            return make(op, [value, held], [name]), {held: np.array([axis])}, np.expand_dims(array, axis)
        case "Reshape":
            return make(op, [value, held], [name]), {held: np.array([-1, 1])}, array.reshape(-1, 1)
        case "Transpose":
            return make(op, [value], [name]), {}, array.T
        case "Tile":
            return make(op, [value, held], [name]), {held: np.array([2] * rank)}, np.tile(array, [2] * rank)
        case "Expand":
            sizes = [2, *array.shape]
            return make(op, [value, held], [name]), {held: np.array(sizes)}, np.broadcast_to(array, sizes)
    raise AssertionError(op)


@given(
    ops=st.lists(st.sampled_from(STEPS), min_size=1, max_size=4),
    to=st.sampled_from((onnx.TensorProto.FLOAT, onnx.TensorProto.BOOL, onnx.TensorProto.FLOAT16)),
    far=st.sampled_from((2, 100, 2**20, 2**33)),
    data=st.data(),
)
def test_the_numbers_stay(ops: list[str], to: int, far: int, data: st.DataObject) -> None:
    x = np.random.default_rng(len(ops)).integers(-far, far, (2, 3))
    nodes, weights, name, array = list[onnx.NodeProto](), dict[str, np.ndarray](), "x", x
    for at, op in enumerate(ops):
        node, held, array = step(op, at, name, array, data)
        assume(array.size < 5000 and np.abs(array.astype(np.float64)).max() < 2**62)
        nodes.append(node)
        weights |= held
        name = node.output[0]
    nodes += [make("Cast", [name], ["cast"], to=to), make("Cast", ["cast"], ["y"], to=onnx.TensorProto.FLOAT)]
    model = model_of(nodes, {"x": x}, 17, weights)
    assume(fires(model, HoistCastArithmetic))
    tolerance = 2e-3 if to == onnx.TensorProto.FLOAT16 else HoistCastArithmetic.tolerance
    assert_same(model, HoistCastArithmetic, {"x": x}, tolerance)
