"""Activations after a linear layer, of one or several nodes, that ONNX Runtime computes in the Conv kernel."""

from __future__ import annotations

import math
from collections.abc import Sequence

import onnx_ir as ir

from webbuild.passes.rewrite import constant, consumers, only_reader

_ONE_NODE = frozenset(
    {"Gelu", "HardSigmoid", "HardSwish", "LeakyRelu", "QuickGelu", "Relu", "Sigmoid", "Tanh"},
)
_SQUARE_ROOT = math.sqrt(2)
_WRITTEN_OUT = {2: "SiLU", 3: "QuickGelu", 5: "Gelu"}
"""Names of the activations of several nodes, by the number of nodes."""
_CONV_RANK = 4
"""Rank of the output of a 2-D convolution: [N, C, H, W]."""


def activation_after(value: ir.Value) -> list[ir.Node]:
    """Return the nodes of the activation after a value, in order; none if other nodes read the value."""
    readers = consumers(value)
    if value.is_graph_output() or any(node.graph is not value.graph for node in readers):
        return []
    nodes = _one_node(value, readers) or _silu(value, readers) or _quick_gelu(value, readers) or _gelu(value, readers)
    inner = [output for node in nodes[:-1] for output in node.outputs]
    return [] if any(output.is_graph_output() for output in inner) else nodes


def activation_name(nodes: Sequence[ir.Node]) -> str:
    """Return the name of the activation that these nodes compute."""
    return _WRITTEN_OUT.get(len(nodes), nodes[-1].op_type)


def _one_node(value: ir.Value, readers: Sequence[ir.Node]) -> list[ir.Node]:
    return list(readers) if len(value.uses()) == 1 and readers[0].op_type in _ONE_NODE else []


def _silu(value: ir.Value, readers: Sequence[ir.Node]) -> list[ir.Node]:
    """SiLU: x Sigmoid(x)."""
    sigmoid = next((node for node in readers if node.op_type == "Sigmoid"), None)
    product = None if sigmoid is None else _product(value, sigmoid.outputs[0])
    return [sigmoid, product] if sigmoid is not None and product is not None and len(value.uses()) == 2 else []


def _quick_gelu(value: ir.Value, readers: Sequence[ir.Node]) -> list[ir.Node]:
    """QuickGelu: x Sigmoid(1.702 x)."""
    scaled = next((node for node in readers if node.op_type == "Mul" and _has(node, 1.702)), None)
    sigmoid = None if scaled is None else only_reader(scaled.outputs[0], "Sigmoid")
    product = None if sigmoid is None else _product(value, sigmoid.outputs[0])
    if scaled is None or sigmoid is None or product is None or len(value.uses()) != 2:
        return []
    return [scaled, sigmoid, product]


def _gelu(value: ir.Value, readers: Sequence[ir.Node]) -> list[ir.Node]:
    """Gelu: x (Erf(x / sqrt(2)) + 1) 0.5, with the factor 0.5 last or before x, the forms that ONNX Runtime fuses."""
    divided = next((node for node in readers if node.op_type == "Div" and node.inputs[0] is value), None)
    erf = None if divided is None or not _has(divided, _SQUARE_ROOT) else only_reader(divided.outputs[0], "Erf")
    shifted = None if erf is None else only_reader(erf.outputs[0], "Add")
    if divided is None or erf is None or shifted is None or not _has(shifted, 1) or len(value.uses()) != 2:
        return []
    first = only_reader(shifted.outputs[0], "Mul")
    if first is None:
        return []
    if value in first.inputs:
        last = only_reader(first.outputs[0], "Mul")
        return [divided, erf, shifted, first, last] if last is not None and _has(last, 0.5) else []
    second = _product(value, first.outputs[0]) if _has(first, 0.5) else None
    return [divided, erf, shifted, first, second] if second is not None else []


def _product(one: ir.Value, other: ir.Value) -> ir.Node | None:
    """Return the Mul of two values that is the only reader of the second."""
    readers = consumers(other)
    fits = len(other.uses()) == 1 and readers[0].op_type == "Mul" and one in readers[0].inputs
    return readers[0] if fits else None


def _has(node: ir.Node, number: float) -> bool:
    """Whether one operand is this number, and adds no axes to the output of a convolution."""
    constants = [each for value in node.inputs if (each := constant(value)) is not None and each.size == 1]
    return any(each.ndim <= _CONV_RANK and math.isclose(each.item(), number, rel_tol=1e-3) for each in constants)
