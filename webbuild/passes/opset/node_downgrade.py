"""Conversion of a node to an older opset: whether it has the same meaning there, and how it is rewritten."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import onnx_ir as ir

from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import attribute_values, known_rank, replace_output, static_shape
from webbuild.targets.older_schema import older_schema

_GRID_MODES = {"linear": "bilinear", "cubic": "bicubic", "nearest": "nearest"}
"""GridSample's modes: the names of opset 20 and those of opset 16."""


def downgrade_blocker(node: ir.Node, opset: int, target: int) -> str | None:
    """Return why a node of opset `opset` does not mean the same in opset `target`, None if it does."""
    if node.op_type == "Gelu" and target < 20 <= opset:
        return None if node.inputs[0] is not None and node.inputs[0].dtype == ir.DataType.FLOAT else "is not float32"
    form = older_schema(node.op_type, opset, target)
    if form is None:
        return "has no compatible schema there"
    if len(node.inputs) > form.inputs:
        return "has more inputs than the schema there"
    values = attribute_values(node)
    if any(values.get(name, default) != default for name, default in form.added_attributes.items()):
        return "has an attribute that the schema there lacks"
    if not (_types_allowed(node.inputs, form.input_types) and _types_allowed(node.outputs, form.output_types)):
        return "has types that the schema there lacks"
    return next((reason for step in form.steps if (reason := _semantic_change(node, step)) is not None), None)


def downgrade_node(node: ir.Node, opset: int, target: int) -> None:
    """Convert a node to an older opset, for which `downgrade_blocker` returned None."""
    if node.op_type == "Gelu" and target < 20 <= opset:
        _write_gelu(node)
        return
    form = older_schema(node.op_type, opset, target)
    assert form is not None
    for name in form.added_attributes:
        node.attributes.pop(name, None)
    if node.op_type == "GridSample" and 20 in form.steps:
        mode = _GRID_MODES[node.attributes.get_string("mode", "linear")]
        node.attributes["mode"] = ir.AttrString("mode", mode)


def _types_allowed(values: Iterable[ir.Value | None], types: tuple[frozenset[str], ...]) -> bool:
    """Whether each value is a tensor of an allowed type. An output may be omitted."""
    for index, value in enumerate(values):
        if value is None or not value.name or not types:
            continue
        if value.dtype is None or f"tensor({value.dtype.name.lower()})" not in types[min(index, len(types) - 1)]:
            return False
    return True


def _semantic_change(node: ir.Node, step: int) -> str | None:
    """Return how the version `step` of an operator differs in meaning from the one before, for this node."""
    rule = _CHANGES.get((node.op_type, step))
    return None if rule is None else rule(node)


def _grid_sample(node: ir.Node) -> str | None:
    shape = static_shape(node.inputs[0])
    return None if shape is not None and len(shape) == 4 else "samples volumes"


def _average_pool(node: ir.Node) -> str | None:
    return "rounds sizes up" if node.attributes.get_int("ceil_mode", 0) else None


def _pool_size(node: ir.Node) -> str | None:
    """Only the older version counts a window that begins in the end padding."""
    if not node.attributes.get_int("ceil_mode", 0):
        return None
    source, result = static_shape(node.inputs[0]), static_shape(node.outputs[0])
    kernel = node.attributes.get_ints("kernel_shape", [])
    rank = len(kernel)
    strides, dilations = (node.attributes.get_ints(name, [1] * rank) for name in ("strides", "dilations"))
    pads = node.attributes.get_ints("pads", [0] * 2 * rank)
    if source is None or result is None or node.attributes.get_string("auto_pad", "NOTSET") != "NOTSET":
        return "rounds sizes up"
    for axis in range(rank):
        # ONNX's operator text: size = ceil((in + pads - dilation (kernel - 1) - 1) / stride + 1)
        padded = source[axis + 2] + pads[axis] + pads[axis + rank] - dilations[axis] * (kernel[axis] - 1) - 1
        if -(-padded // strides[axis]) + 1 != result[axis + 2]:
            return "rounds sizes up differently there"
    return None


def _resize(node: ir.Node) -> str | None:
    mode = node.attributes.get_string("coordinate_transformation_mode", "half_pixel")
    return f"{mode} is new" if mode == "half_pixel_symmetric" else None


def _pad(node: ir.Node) -> str | None:
    return "wraps around" if node.attributes.get_string("mode", "constant") == "wrap" else None


def _scatter(node: ir.Node) -> str | None:
    reduction = node.attributes.get_string("reduction", "none")
    return f"reduces by {reduction}" if reduction in ("max", "min") else None


def _roi_align(node: ir.Node) -> str | None:
    """The older version has no mode: it always computes `output_half_pixel`."""
    mode = node.attributes.get_string("coordinate_transformation_mode", "half_pixel")
    return f"samples at output_half_pixel there, not at {mode}"


def _group_normalization(node: ir.Node) -> str | None:
    return f"scales {node.attributes.get_int('num_groups', 1)} groups there, not channels"


def _softmax(node: ir.Node) -> str | None:
    """The older versions flatten all axes from `axis` on, and `axis` defaults to 1."""
    rank, has_axis = known_rank(node.inputs[0]), "axis" in node.attributes
    axis = node.attributes.get_int("axis", -1)
    same = rank is not None and (axis % rank == rank - 1 if has_axis else rank == 2)
    return None if same else "normalizes other axes there"


_CHANGES: dict[tuple[str, int], Callable[[ir.Node], str | None]] = {
    ("GridSample", 20): _grid_sample,
    ("AveragePool", 19): _average_pool,
    ("AveragePool", 22): _pool_size,
    ("MaxPool", 22): _pool_size,
    ("Resize", 19): _resize,
    ("Pad", 19): _pad,
    ("Softmax", 13): _softmax,
    ("LogSoftmax", 13): _softmax,
    ("Hardmax", 13): _softmax,
    ("ScatterElements", 18): _scatter,
    ("ScatterND", 18): _scatter,
    ("RoiAlign", 16): _roi_align,
    ("GroupNormalization", 21): _group_normalization,
}
"""Operator versions, down to opset 12, whose meaning changed more than their schema, and the nodes it affects."""


def _write_gelu(node: ir.Node) -> None:
    """Decompose a Gelu; the engine fuses the operators into one kernel again."""
    assert node.graph is not None
    add, x = Builder(node.graph, node, f"{node.name or 'Gelu'}/older"), node.inputs[0]
    # Hendrycks and Gimpel (arXiv 1606.08415), and ONNX's operator text:
    # approximate = tanh: x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))); none: x/2 (1 + erf(x / sqrt(2)))
    if node.attributes.get_string("approximate", "none") == "tanh":
        cubed = add.op("Mul", add.op("Mul", x, x), x)
        inner = add.op("Add", x, add.op("Mul", cubed, add.const(0.044715)))
        share = add.op("Tanh", add.op("Mul", inner, add.const(math.sqrt(2 / math.pi))))
    else:
        share = add.op("Erf", add.op("Div", x, add.const(math.sqrt(2))))
    grown = add.op("Mul", x, add.op("Add", share, add.const(1.0)))
    result = add.op("Mul", grown, add.const(0.5))
    replace_output(node, result)
    node.graph.remove(node, safe=True)
