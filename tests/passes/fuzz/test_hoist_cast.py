"""An int64 input that goes through data movement before it is cast."""

from __future__ import annotations

import numpy as np
import onnx
from hypothesis import given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.dtypes.hoist_cast import HoistCast

_MOVES = ("Reshape", "Transpose", "Tile", "Unsqueeze", "Gather", "Slice", "Identity")


@given(
    moves=st.lists(st.sampled_from(_MOVES), min_size=1, max_size=4),
    to=st.sampled_from((onnx.TensorProto.FLOAT, onnx.TensorProto.INT32)),
    twice=st.booleans(),
    seed=st.integers(0, 999),
)
def test_the_numbers_stay(moves: list[str], to: int, twice: bool, seed: int) -> None:
    generator = np.random.default_rng(seed)
    x = generator.integers(-(2**20), 2**20, (1, 2)).astype(np.int64)
    weights, nodes, name, value = dict[str, np.ndarray](), list[onnx.NodeProto](), "x", x
    for index, op in enumerate(moves):
        made, extra, attributes = f"m{index}", f"c{index}", dict[str, object]()
        match op:
            case "Reshape":
                weights[extra] = np.array([-1, value.shape[0]])
                value = value.reshape(-1, value.shape[0])
            case "Transpose":
                attributes["perm"] = list(reversed(range(value.ndim)))
                value = value.T
            case "Tile":
                weights[extra] = np.array([2] * value.ndim)
                value = np.tile(value, [2] * value.ndim)
            case "Unsqueeze":
                weights[extra] = np.array([value.ndim])
                value = value[..., None]
            case "Gather":
                weights[extra] = generator.integers(0, value.shape[0], 3)
                value = value[weights[extra]]
            case "Slice":
                nodes.append(onnx.helper.make_node("Slice", [name, "zero", "one"], [made]))
                weights |= {"zero": np.array([0]), "one": np.array([1])}
                name, value = made, value[:1]
                continue
        inputs = [name, extra] if extra in weights else [name]
        nodes.append(onnx.helper.make_node(op, inputs, [made], **attributes))  # type: ignore[arg-type]
        name = made
    nodes.append(onnx.helper.make_node("Cast", [name], ["cast"], to=to))
    if twice:
        nodes.append(onnx.helper.make_node("Cast", [name], ["again"], to=to))
    nodes.append(onnx.helper.make_node("Add" if twice else "Neg", ["cast", "again"] if twice else ["cast"], ["y"]))
    weights = {key: array.astype(np.int64) for key, array in weights.items()}
    assert_same(model_of(nodes, {"x": x}, 17, weights), HoistCast, {"x": x})
