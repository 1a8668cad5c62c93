"""A model with as many nodes as a large detector: attention with shape arithmetic, as exporters write it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

_WIDTH, _HEADS, _TOKENS = 64, 4, 100


class _Graph:
    """Nodes and weights, named by their numbers."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []
        self._generator = np.random.default_rng(0)

    def node(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Add a node and return its output."""
        name = f"{operator}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [name], name=f"/{name}", **attributes))
        return name

    def weight(self, *shape: int) -> str:
        """Add small random weights and return their name."""
        return self._held(self._generator.normal(0, 0.1, shape).astype(np.float32))

    def integers(self, *values: int) -> str:
        """Add a list of int64 and return its name."""
        return self._held(np.array(values, np.int64))

    def scalar(self, value: float) -> str:
        """Add a number and return its name."""
        return self._held(np.array(value, np.float32))

    def _held(self, value: NDArray[Any]) -> str:
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(value, name))
        return name


def model(nodes: int) -> onnx.ModelProto:
    """Return a model of at least this many nodes: `tokens` [batch, 100, 64] -> same shape, and the best 5."""
    graph = _Graph()
    value = "tokens"
    while len(graph.nodes) < nodes - 4:
        value = _attention(graph, value)
        value = _mixed(graph, value)
    best = graph.node("ReduceMax", value, axes=[-1], keepdims=0)
    graph.nodes.append(helper.make_node("TopK", [best, graph.integers(5)], ["scores", "rows"], name="/best"))
    graph.nodes.append(helper.make_node("Identity", [value], ["features"], name="/out"))
    return helper.make_model(
        helper.make_graph(
            graph.nodes,
            "long",
            [helper.make_tensor_value_info("tokens", TensorProto.FLOAT, ["batch", _TOKENS, _WIDTH])],
            [
                helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["batch", 5]),
                helper.make_tensor_value_info("rows", TensorProto.INT64, ["batch", 5]),
                helper.make_tensor_value_info("features", TensorProto.FLOAT, ["batch", _TOKENS, _WIDTH]),
            ],
            graph.weights,
        ),
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=8,
    )


def _sizes(graph: _Graph, value: str, rest: Sequence[int]) -> str:
    """Return a shape: the first dimension of a value, and others."""
    first = graph.node("Gather", graph.node("Shape", value), graph.integers(0), axis=0)
    return graph.node("Concat", first, graph.integers(*rest), axis=0)


def _heads(graph: _Graph, value: str) -> str:
    given = graph.node("Add", graph.node("MatMul", value, graph.weight(_WIDTH, _WIDTH)), graph.weight(_WIDTH))
    split = graph.node("Reshape", given, _sizes(graph, value, (_TOKENS, _HEADS, _WIDTH // _HEADS)))
    return graph.node("Transpose", split, perm=[0, 2, 1, 3])


def _attention(graph: _Graph, value: str) -> str:
    normal = _normal(graph, value)
    query, key, content = (_heads(graph, normal) for _ in range(3))
    scores = graph.node("MatMul", query, graph.node("Transpose", key, perm=[0, 1, 3, 2]))
    soft = graph.node("Softmax", graph.node("Div", scores, graph.scalar(4.0)), axis=-1)
    mixed = graph.node("Transpose", graph.node("MatMul", soft, content), perm=[0, 2, 1, 3])
    flat = graph.node("Reshape", mixed, _sizes(graph, value, (_TOKENS, _WIDTH)))
    return graph.node("Add", value, graph.node("MatMul", flat, graph.weight(_WIDTH, _WIDTH)))


def _normal(graph: _Graph, value: str) -> str:
    """Return a layer's normalization, decomposed."""
    centred = graph.node("Sub", value, graph.node("ReduceMean", value, axes=[-1]))
    spread = graph.node("ReduceMean", graph.node("Pow", centred, graph.scalar(2.0)), axes=[-1])
    scaled = graph.node("Div", centred, graph.node("Sqrt", graph.node("Add", spread, graph.scalar(1e-5))))
    return graph.node("Add", graph.node("Mul", scaled, graph.weight(_WIDTH)), graph.weight(_WIDTH))


def _mixed(graph: _Graph, value: str) -> str:
    """Return a layer's second half: a decomposed Gelu, and a convolution over the tokens as a picture."""
    wide = graph.node("MatMul", _normal(graph, value), graph.weight(_WIDTH, _WIDTH))
    error = graph.node("Add", graph.node("Erf", graph.node("Div", wide, graph.scalar(1.4142135))), graph.scalar(1.0))
    gelu = graph.node("Mul", graph.node("Mul", wide, error), graph.scalar(0.5))
    image = graph.node("Reshape", graph.node("Transpose", gelu, perm=[0, 2, 1]), graph.integers(-1, _WIDTH, 10, 10))
    seen = graph.node("Conv", image, graph.weight(_WIDTH, 1, 3, 3), group=_WIDTH, pads=[1, 1, 1, 1])
    flat = graph.node("Reshape", graph.node("Sigmoid", seen), _sizes(graph, value, (_WIDTH, _TOKENS)))
    return graph.node("Add", value, graph.node("Transpose", flat, perm=[0, 2, 1]))
