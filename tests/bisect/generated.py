"""Generated graphs to bisect, of any depth and width."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx_ir as ir
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from webbuild.passes.analysis.shape_inference import infer_shapes
from webbuild.runners.native import NativeRunner
from webbuild.subgraph.graph import ModelGraph

SIZE = 6


def graph(model: onnx.ModelProto, *outputs: str) -> ModelGraph:
    """Return a model with inferred shapes, as bisection uses it."""
    known = ir.from_proto(model)
    infer_shapes(known)
    return ModelGraph(ir.to_proto(known), outputs)


def feeds(*names: str) -> dict[str, NDArray[Any]]:
    generator = np.random.default_rng(3)
    return {name: generator.standard_normal((SIZE, SIZE)).astype(np.float32) for name in names}


def branches(lengths: tuple[int, ...], joined: bool = True) -> onnx.ModelProto:
    """Return branches that all start at `x`, their nodes interleaved; they are summed, or each is an output.

    No step shrinks a difference: the weights are orthogonal, and every third node scales up again.
    """
    nodes, tensors, ends = [], [], ["x"] * len(lengths)
    generator = np.random.default_rng(0)
    turn, _ = np.linalg.qr(generator.standard_normal((SIZE, SIZE)))
    for name, array in (("turn", turn), ("shift", generator.standard_normal((SIZE, SIZE))), ("twice", np.full(1, 2.0))):
        tensors.append(numpy_helper.from_array(array.astype(np.float32), name))
    for step in range(max(lengths)):
        for branch, length in enumerate(lengths):
            if step < length:
                made = f"b{branch}_{step}"
                nodes.append(_step(step + branch, ends[branch], made))
                ends[branch] = made
    outputs = ends
    if joined and len(ends) > 1:
        outputs = ["y"]
        nodes.append(helper.make_node("Sum", ends, ["y"]))
    value = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [SIZE, SIZE]) for name in ("x", *outputs)]
    made_graph = helper.make_graph(nodes, "branches", value[:1], value[1:], tensors)
    return helper.make_model(made_graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)


def decision(model: onnx.ModelProto, values: dict[str, NDArray[Any]]) -> onnx.ModelProto:
    """Append a comparison to a model with one output: `output > native output for these values`."""
    (output,) = model.graph.output
    exact = NativeRunner(Path("branches.onnx"), model.SerializeToString()).run(values)[output.name]
    model.graph.initializer.append(numpy_helper.from_array(exact, "limit"))
    model.graph.node.append(helper.make_node("Greater", [output.name, "limit"], ["above"]))
    output.CopyFrom(helper.make_tensor_value_info("above", TensorProto.BOOL, [SIZE, SIZE]))
    return model


def _step(kind: int, name: str, made: str) -> onnx.NodeProto:
    match kind % 5:
        case 0:
            return helper.make_node("MatMul", [name, "turn"], [made])
        case 1:
            return helper.make_node("Sin", [name], [made])
        case 2:
            return helper.make_node("Mul", [name, "twice"], [made])
        case 3:
            return helper.make_node("Transpose", [name], [made], perm=[1, 0])
        case _:
            return helper.make_node("Add", [name, "shift"], [made])
