"""Helpers that read and rewire a graph: constants, shapes, consumers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import onnx_ir as ir
from numpy.typing import NDArray

from webbuild.model.unused_name import unused_name
from webbuild.passes.graphs import graph_names, graphs_of

LOWEST, LOW = -3e38, -1e38
"""Score of an element that must not be selected, and the limit below which a score counts as that. Both are finite, as
a sort may be padded with infinities."""
_SMALL = 1 << 16
"""Largest number of elements of an input whose first operation may as well run on the CPU."""


def constant(value: ir.Value | None) -> NDArray[Any] | None:
    """Return the array of an initializer or Constant node, None for a value that is computed or overridable."""
    tensor = None if value is None or value.is_graph_input() else constant_tensor(value)
    return None if tensor is None else tensor.numpy()


def constant_tensor(value: ir.Value) -> ir.TensorProtocol | None:
    """Return the tensor of an initializer or Constant node, None for anything else, a malformed Constant too."""
    try:
        return ir.convenience.get_const_tensor(value)
    except ValueError:  # a Constant with two attributes, which ONNX Runtime accepts
        return None


def constant_number(value: ir.Value | None) -> float | None:
    """Return the value of a constant with one element, None for anything else."""
    array = constant(value)
    return float(array.reshape(())) if array is not None and array.size == 1 else None


def is_number(value: ir.Value | None, number: float) -> bool:
    """Whether a value is a constant equal to this number, within a relative 1e-6, in float16 1e-3."""
    constant_value = constant_number(value)
    exact = 1e-3 if value is not None and value.dtype == ir.DataType.FLOAT16 else 1e-6
    return constant_value is not None and math.isclose(constant_value, number, rel_tol=exact)


def producer_of(value: ir.Value | None, *op_types: str) -> ir.Node | None:
    """Return the producer of a value if it is a standard operator of one of these types."""
    node = None if value is None else value.producer()
    return node if node is not None and node.op_type in op_types and node.domain in ("", "ai.onnx") else None


def static_shape(value: ir.Value | None) -> list[int] | None:
    """Return the static shape of a value, None if a dimension is free or the shape is unknown."""
    if value is None or value.shape is None or not all(isinstance(dim, int) for dim in value.shape):
        return None
    return [int(dim) for dim in value.shape if isinstance(dim, int)]


def known_rank(value: ir.Value | None) -> int | None:
    """Return the number of axes of a value, None if it is unknown."""
    return None if value is None or value.shape is None else len(value.shape)


def is_empty(value: ir.Value | None) -> bool:
    """Whether a dimension of a value is known to be 0."""
    return value is not None and value.shape is not None and any(dim == 0 for dim in value.shape)


def is_small_input(value: ir.Value | None) -> bool:
    """Whether a value is a small graph input, not an image: images have no NaN and are slow on the CPU."""
    sizes = static_shape(value)
    if value is None or sizes is None or not value.is_graph_input() or value.is_initializer():
        return False
    return math.prod(sizes) <= _SMALL


def input_value(node: ir.Node, index: int) -> ir.Value | None:
    """Return an input of a node, None if it is left out."""
    return node.inputs[index] if index < len(node.inputs) else None


def reduction_axes(node: ir.Node) -> list[int] | None:
    """Return the axes of a reduction, None if it has none, they are computed, or the rank is unknown."""
    rank, axes = known_rank(node.inputs[0]), input_value(node, 1)
    stored = constant(axes)
    if not rank or (axes is not None and stored is None):
        return None
    named = node.attributes.get_ints("axes", []) if stored is None else stored.tolist()
    if not named:
        return None if node.attributes.get_int("noop_with_empty_axes", 0) else list(range(rank))
    return sorted(axis % rank for axis in named)


def read_axes(shape: ir.Node) -> slice:
    """Return the axes whose sizes a Shape node returns: all, unless it has `start` or `end`."""
    return slice(*(shape.attributes[name].as_int() if name in shape.attributes else None for name in ("start", "end")))


def is_read(value: ir.Value) -> bool:
    """Whether a node reads a value, or it is an output of the graph."""
    return value.is_graph_output() or bool(value.uses())


def attribute_values(node: ir.Node) -> dict[str, Any]:
    """Return a node's attributes as Python values, with lists instead of tuples."""
    values = {name: attribute.value for name, attribute in node.attributes.items()}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def nbytes(value: ir.Value | None) -> int | None:
    """Return the size of a value in bytes, None if its shape or type is unknown."""
    sizes = static_shape(value)
    if sizes is None or value is None or value.dtype is None:
        return None
    try:
        return math.ceil(math.prod(sizes) * value.dtype.itemsize)
    except TypeError:  # strings have no size
        return None


def consumers(value: ir.Value) -> list[ir.Node]:
    """Return the nodes that read a value, each once, in the order of their first use."""
    return list(dict.fromkeys(use.node for use in value.uses()))


def only_reader(value: ir.Value, *op_types: str) -> ir.Node | None:
    """Return the only reader of a value, which reads it once and in the same graph.

    None if there are several reads, the value is an output of the graph, or the reader is not one of `op_types`.
    """
    if len(value.uses()) != 1 or value.is_graph_output():
        return None
    (reader,) = consumers(value)
    fits = not op_types or (reader.op_type in op_types and reader.domain in ("", "ai.onnx"))
    return reader if fits and reader.graph is value.graph else None


def fusable_consumers(value: ir.Value) -> list[ir.Node]:
    """Return the nodes that read a value; none if one is in a branch or a loop, as ONNX Runtime then fuses nothing."""
    readers = consumers(value)
    return readers if all(node.graph is value.graph for node in readers) else []


def find_nodes(model: ir.Model, *op_types: str) -> Iterator[ir.Node]:
    """Yield the nodes of these standard operators in the model's graph that have a reader, from a snapshot."""
    for node in list(model.graph):
        if node.domain in ("", "ai.onnx") and node.op_type in op_types and any(map(is_read, node.outputs)):
            yield node


def standard_nodes(model: ir.Model) -> Iterator[ir.Node]:
    """Yield the nodes of standard operators, also in branches and loops, from a snapshot of each graph."""
    for graph in graphs_of(model):
        yield from [node for node in graph if node.domain in ("", "ai.onnx")]


def opset_version(model: ir.Model) -> int:
    """Return the opset version of the standard operators."""
    return model.graph.opset_imports.get("", 18)


def replace_all_uses(old: ir.Value, new: ir.Value | None) -> None:
    """Let every reader of `old`, the graph's outputs included, read `new`; inputs and outputs keep their names."""
    assert new is not None
    graph = old.graph
    result = new
    if graph is not None and old.is_graph_output():
        # an output needs its own node: f(x) -> y, y = new  =>  f(x), Identity(new) -> y
        if new.is_graph_input() or new.is_graph_output() or new.is_initializer() or new.graph is not graph:
            result = _copy(graph, new)
        name, old.name = old.name, unused_name(graph_names(graph), f"{old.name}_before")
        for index, output in enumerate(graph.outputs):
            if output is old:
                graph.outputs[index] = result
        result.name = name
        result.type, result.shape = result.type or old.type, result.shape or old.shape
    old.replace_all_uses_with(new)


def replace_output(node: ir.Node, new: ir.Value) -> None:
    """Let every reader of a node's first output read `new`, which gets the output's type and shape."""
    new.type, new.shape = node.outputs[0].type, node.outputs[0].shape
    replace_all_uses(node.outputs[0], new)


def redirect_consumers(value: ir.Value, other: ir.Value) -> None:
    """Let the nodes that read `value` read `other`; outputs of the graph do not change."""
    for use in list(value.uses()):
        use.node.replace_input_with(use.idx, other)


def _copy(graph: ir.Graph, value: ir.Value) -> ir.Value:
    """Add an Identity of `value` at the end of the graph, which may get the name of an output."""
    identity = ir.node("Identity", [value])
    graph.append(identity)
    copied = identity.outputs[0]
    copied.shape, copied.type = value.shape, value.type
    return copied
