"""Integers in int32 equal those in int64, for any computation, and stay within their bounds."""

from __future__ import annotations

import numpy as np
import onnx
import onnx_ir as ir
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper

from tests.native import Session
from tests.passes.fuzz.model import Arrays, assert_same, model_of
from webbuild.passes.analysis.shape_inference import infer_shapes
from webbuild.passes.analysis.value_ranges import value_ranges
from webbuild.passes.dtypes.narrow_int64 import NarrowInt64

ROWS, COLUMNS = 3, 8

STEP = st.tuples(
    st.sampled_from(
        [
            "Add",
            "Sub",
            "Mul",
            "Div",
            "Mod",
            "fmod",
            "Min",
            "Max",
            "Clip",
            "Neg",
            "Abs",
            "Sign",
            "Relu",
            "Slice",
            "GatherElements",
            "Concat",
            "Where",
            "CumSum",
            "ReduceSum",
            "ReduceMax",
            "Transpose",
            "Gather",
            "ScatterND",
            "Equal",
        ]
    ),
    st.integers(-9, 9).filter(bool),
    st.integers(0, 1),
)


def chain(steps: list[tuple[str, int, int]]) -> tuple[list[onnx.NodeProto], dict[str, np.ndarray]]:
    """Return nodes that turn `v0`, int64 [3, 8], step by step into `y` of the same shape, and their constants."""
    nodes: list[onnx.NodeProto] = []
    held: dict[str, np.ndarray] = {"flat": np.array([ROWS, COLUMNS], np.int64)}

    def add(op: str, *inputs: str, **attributes: int | list[int]) -> str:
        name = f"t{len(nodes)}"
        nodes.append(helper.make_node(op, list(inputs), [name], **attributes))  # type: ignore[arg-type]
        return name

    def const(value: object) -> str:
        name = f"c{len(held)}"
        held[name] = np.array(value, np.int64)
        return name

    value = "v0"
    for op, number, axis in steps:
        match op:
            case "Add" | "Sub" | "Mul" | "Div" | "Min" | "Max":
                value = add(op, value, const(number))
            case "Mod" | "fmod":
                value = add("Mod", value, const(number), fmod=int(op == "fmod"))
            case "Clip":
                value = add(op, value, const(-abs(number)), const(abs(number) * 3))
            case "Neg" | "Abs" | "Sign":
                value = add(op, value)
            case "Slice":
                back = add(op, value, const([-1]), const([-99]), const([axis]), const([-1]))
                value = add("Sub", value, back)
            case "GatherElements":
                size = (ROWS, COLUMNS)[axis]
                value = add(op, value, const(np.arange(ROWS * COLUMNS).reshape(ROWS, COLUMNS) % size), axis=axis)
            case "Concat":
                both = add(op, value, value, axis=axis)
                value = add("Gather", both, const(np.arange((ROWS, COLUMNS)[axis]) + 2), axis=axis)
            case "Where":
                value = add(op, add("Less", value, const(number)), value, const(number))
            case "CumSum":
                value = add(op, value, const(axis))
            case "ReduceSum" | "ReduceMax":
                sums = add("ReduceSum", value, const([axis])) if op == "ReduceSum" else add(op, value, axes=[axis])
                value = add("Sub", value, sums)
            case "Transpose":
                value = add("Reshape", add(op, value, perm=[1, 0]), "flat")
            case "Gather":
                value = add(op, value, const(np.arange((ROWS, COLUMNS)[axis])[::-1].copy()), axis=axis)
            case "ScatterND":
                value = add(op, value, const([[1]]), const([list(range(COLUMNS))]))
            case "Equal":
                value = add("Cast", add(op, value, const(number)), to=TensorProto.INT64)
    nodes.append(helper.make_node("Cast", [value], ["y"], to=TensorProto.FLOAT))
    return nodes, held


def from_floats() -> list[onnx.NodeProto]:
    clip = helper.make_node("Clip", ["x", "low", "high"], ["bounded"])
    return [clip, helper.make_node("Cast", ["bounded"], ["v0"], to=TensorProto.INT64)]


def modelled(steps: list[tuple[str, int, int]], seed: int) -> tuple[onnx.ModelProto, Arrays]:
    nodes, held = chain(steps)
    bounds = {"low": np.float32(-20.5), "high": np.float32(20.5)}
    x = np.random.default_rng(seed).uniform(-30, 30, (ROWS, COLUMNS)).astype(np.float32)
    weights = {**held, **{name: np.array(value) for name, value in bounds.items()}}
    return model_of([*from_floats(), *nodes], {"x": x}, 17, weights), {"x": x}


@given(st.lists(STEP, min_size=1, max_size=5), st.integers(0, 999))
def test_numbers_from_floats_are_the_same(steps: list[tuple[str, int, int]], seed: int) -> None:
    model, feeds = modelled([*steps, ("Add", 1, 0)], seed)
    assert_same(model, NarrowInt64, feeds)


@given(st.lists(STEP, min_size=1, max_size=4), st.integers(0, 999))
def test_indices_are_the_same(steps: list[tuple[str, int, int]], seed: int) -> None:
    nodes, held = chain([("Add", 3, 0), *steps])
    x = np.random.default_rng(seed).uniform(-1, 1, (ROWS, 30)).astype(np.float32)
    top = helper.make_node("TopK", ["x", "k"], ["values", "v0"])
    held["k"] = np.array([COLUMNS], np.int64)
    assert_same(model_of([top, *nodes], {"x": x}, 17, held), NarrowInt64, {"x": x})


@given(st.lists(STEP, min_size=1, max_size=6), st.integers(0, 999))
def test_every_value_lies_within_its_bounds(steps: list[tuple[str, int, int]], seed: int) -> None:
    proto, feeds = modelled(steps, seed)
    model = ir.from_proto(proto)
    infer_shapes(model)
    bounds = {value.name: bound for value, bound in value_ranges(model.graph).items()}
    told = onnx.shape_inference.infer_shapes(proto, data_prop=True)
    proto.graph.output.extend(told.graph.value_info)
    narrow = 0
    for name, array in Session(proto).run(feeds).items():
        low, high = bounds[name]
        assert low <= array.min() <= array.max() <= high, name
        narrow += np.isfinite(high)
    assert narrow > 1
