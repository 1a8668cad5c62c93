"""Conversion of a node to a newer opset: with own rules, else with ONNX's version converter."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import onnx_ir as ir

from webbuild.model.convert_node import convert_node
from webbuild.passes.builder import Builder
from webbuild.passes.inline_subgraph import Inliner
from webbuild.passes.rewrite import attribute_values, constant, replace_all_uses, replace_output

_SMALL = 64
"""Maximum elements of a constant that is passed to the converter."""

_OWN = ("Clip", "RoiAlign", "Scatter", "Upsample", "Resize")

_ROI = 11
"""First opset in which Resize has roi, scales and sizes; before 13, unused ones were empty tensors."""

Rewriter = Callable[[ir.Node, Builder], ir.Value]


def upgrade(node: ir.Node, current: int, opset: int) -> Callable[[Inliner], None] | None:
    """Return a function that converts a node to a newer opset, None if it cannot be converted."""
    if node.op_type in _OWN or (node.op_type == "Pad" and "pads" in node.attributes):
        rewriter = _own_rewriter(node, current)
        return None if rewriter is None else lambda _: _apply(rewriter, node, opset)
    if node.op_type == "Hardmax":
        return None  # the converter keeps `axis`, whose meaning changed in opset 13
    known = {value: constant(value) for value in node.inputs}
    small = {value: array for value, array in known.items() if value and array is not None and array.size <= _SMALL}
    graph = convert_node(node, small, current, opset)
    if graph is None:
        return None
    names = [None if value is None else value.name for value in node.inputs]
    places = [names.index(value.name) for value in graph.inputs]
    return lambda inliner: _splice(node, graph, places, inliner)


def _own_rewriter(node: ir.Node, current: int) -> Rewriter | None:
    match node.op_type:
        case "Resize" if current >= _ROI:
            return _resize_of_a_region
        case "Upsample" | "Resize":
            return _resize if _nearest_mode(node) is not None else None
        case "Clip":
            return _clip
        case "Pad":
            return _pad
        case "RoiAlign":
            return _roi_align
    return _scatter


def _pad(node: ir.Node, add: Builder) -> ir.Value:
    """Pad<pads, value>(x) -> Pad(x, pads, value). ONNX's converter keeps the `value` of other modes."""
    mode = node.attributes.get_string("mode", "constant")
    pads = add.const(list(node.attributes["pads"].as_ints()), np.int64)
    value = [_number(node, add, node.attributes.get_float("value", 0.0))] if mode == "constant" else []
    return add.op("Pad", node.inputs[0], pads, *value, mode=mode)


def _scatter(node: ir.Node, add: Builder) -> ir.Value:
    return add.op("ScatterElements", *node.inputs, axis=node.attributes.get_int("axis", 0))


def _clip(node: ir.Node, add: Builder) -> ir.Value:
    """Clip<min, max>(x) -> Clip(x, min, max)."""
    bounds = [
        _number(node, add, node.attributes[name].as_float()) if name in node.attributes else None
        for name in ("min", "max")
    ]
    return add.op("Clip", node.inputs[0], *bounds)


def _number(node: ir.Node, add: Builder, number: float) -> ir.Value:
    """Add a constant of the type of a node's data; float32 if that is not known."""
    x = node.inputs[0]
    return add.const(number) if x is None or x.dtype is None else add.like(x, number)


def _roi_align(node: ir.Node, add: Builder) -> ir.Value:
    """RoiAlign(x, r, i) -> RoiAlign<output_half_pixel>(x, r, i), as before opset 16."""
    mode = {"coordinate_transformation_mode": "output_half_pixel"}
    return add.op("RoiAlign", *node.inputs, **attribute_values(node), **mode)


def _resize(node: ir.Node, add: Builder) -> ir.Value:
    """Upsample(x, s), Resize(x, s) -> Resize<asymmetric>(x, -, s), as ONNX Runtime computes the old operators."""
    mode = node.attributes.get_string("mode", "nearest")
    scales = node.inputs[1] if len(node.inputs) > 1 else add.const(list(node.attributes["scales"].as_floats()))
    options = {"nearest_mode": _nearest_mode(node) or ""} if mode == "nearest" else {}
    empty = add.const(np.zeros(0, np.float32))
    return add.op(
        "Resize", node.inputs[0], empty, scales, mode=mode, coordinate_transformation_mode="asymmetric", **options
    )


def _resize_of_a_region(node: ir.Node, add: Builder) -> ir.Value:
    """Resize(x, [], s, z) -> Resize(x, -, s, z), without empty inputs."""
    constants = [constant(value) for value in node.inputs]
    inputs = [
        None if array is not None and not array.size else value
        for value, array in zip(node.inputs, constants, strict=True)
    ]
    while inputs[-1] is None:
        inputs.pop()
    return add.op("Resize", *inputs, **attribute_values(node))


def _nearest_mode(node: ir.Node) -> str | None:
    """Return how the old operator rounds: down if it enlarges, up if it reduces; None if that is not known."""
    if node.op_type == "Upsample" or node.attributes.get_string("mode", "nearest") != "nearest":
        return "floor"
    scales = constant(node.inputs[1])
    if scales is None or ((scales > 1).any() and (scales < 1).any()):
        return None
    return "floor" if (scales >= 1).all() else "ceil"


def _apply(rewriter: Rewriter, node: ir.Node, opset: int) -> None:
    assert node.graph is not None
    add = Builder(node.graph, node, f"{node.name or node.op_type}/upgraded", opset)
    replace_output(node, rewriter(node, add))
    node.graph.remove(node, safe=True)


def _splice(node: ir.Node, graph: ir.Graph, places: Sequence[int], inliner: Inliner) -> None:
    """Replace the node by the graph. `places` are the indices of the graph's inputs among the node's inputs."""
    arguments = [value for index in places if (value := node.inputs[index]) is not None]
    outputs = [value for value in node.outputs if value.name]
    assert node.graph is not None
    results = inliner.inline(graph, arguments, node, node.name or node.op_type)
    for old, new in zip(outputs, results, strict=True):
        new.type, new.shape = old.type, old.shape
        replace_all_uses(old, new)
    node.graph.remove(node, safe=True)
