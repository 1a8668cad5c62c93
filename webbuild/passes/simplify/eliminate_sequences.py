from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.analysis.shape_inference import infer_shapes
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.graphs import graphs_of
from webbuild.passes.rewrite import constant, input_value, opset_version, replace_all_uses, static_shape

_READ_OPS = ("SequenceAt", "SequenceLength", "ConcatFromSequence", "OptionalGetElement", "OptionalHasElement")


class EliminateSequences(Pass):
    """Removes sequences and optionals: readers take the tensors directly.

        SequenceAt(SequenceConstruct(a, b), 1)                    ->  b
        ConcatFromSequence<axis>(SequenceInsert(s, x))            ->  Concat<axis>(..., x)
        SequenceAt(SplitToSequence(x [6, C], 2), 0) [2, C]        ->  Split(x, [2, 2, 2])[0]
        SequenceLength(s)                                         ->  constant
        OptionalGetElement(Optional(x))                           ->  x

    Why: exporters write a Python list as a sequence, above all one that a loop appends to. Sequences have no GPU
    kernels: their elements are copied to the CPU.

    How: if the position of each element is known, a read of an element becomes the value that was stored there, and a
    ConcatFromSequence becomes a Concat.

    Limits: the sequence has a constant number of insertions and removals, at constant positions. Exact.
    """

    code = "eliminate-sequences"
    after = ("canonicalize", "fold-constants", "unroll-loops")
    scope = "whole model"

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        """Replace the nodes that read a sequence or an optional."""
        rewrites = []
        for graph in graphs_of(model):
            for node in list(graph):
                if node.domain not in ("", "ai.onnx") or node.op_type not in _READ_OPS:
                    continue
                if (value := _read(model, graph, node)) is None:
                    rewrites.append(self.skipped(node, "its content depends on the data: it stays on the CPU"))
                    continue
                replace_all_uses(node.outputs[0], value)
                graph.remove(node, safe=True)
                rewrites.append(self.applied(node, "its content is known"))
        if any(rewrite.applied for rewrite in rewrites):
            infer_shapes(model)
        return rewrites


def _read(model: ir.Model, graph: ir.Graph, node: ir.Node) -> ir.Value | None:
    add = Builder(graph, node, f"{node.name or node.op_type}/known", opset_version(model))
    if node.op_type.startswith("Optional"):
        return _of_optional(add, node)
    elements = _elements(node.inputs[0], opset_version(model))
    if elements is None:
        return None
    if node.op_type == "SequenceLength":
        return add.const(len(elements), np.int64)
    if node.op_type == "SequenceAt":
        position = _position(node.inputs[1], len(elements))
        return None if position is None or position == len(elements) else elements[position]
    axis = node.attributes.get_int("axis", 0)
    stacked = node.attributes.get_int("new_axis", 0) == 1
    parts = [add.unsqueeze(value, axis) for value in elements] if stacked else elements
    return add.op("Concat", *parts, axis=axis) if parts else None


def _of_optional(add: Builder, node: ir.Node) -> ir.Value | None:
    """Return the content of an optional, or whether it has any. From opset 18 on the input may be a plain tensor."""
    content = node.inputs[0] if node.inputs else None
    maker = None if content is None else content.producer()
    if maker is not None and maker.op_type == "Optional":
        content = maker.inputs[0] if maker.inputs else None
    elif content is not None and not isinstance(content.type, ir.TensorType):
        return None
    return add.const(content is not None, np.bool_) if node.op_type == "OptionalHasElement" else content


def _elements(sequence: ir.Value | None, opset: int) -> list[ir.Value] | None:
    changes: list[ir.Node] = []
    node = None if sequence is None else sequence.producer()
    while node is not None and node.op_type in ("SequenceInsert", "SequenceErase", "Identity"):
        changes.append(node)
        node = None if node.inputs[0] is None else node.inputs[0].producer()
    elements = None if node is None else _constructed(node, opset)
    for change in reversed(changes):
        elements = _after_edit(elements, change)
    return elements


def _constructed(node: ir.Node, opset: int) -> list[ir.Value] | None:
    if node.op_type == "SequenceEmpty":
        return []
    if node.op_type == "SequenceConstruct":
        return [value for value in node.inputs if value is not None]
    return _split(node, opset) if node.op_type == "SplitToSequence" else None


def _after_edit(elements: list[ir.Value] | None, node: ir.Node) -> list[ir.Value] | None:
    if elements is None or node.op_type == "Identity":
        return elements
    inserts = node.op_type == "SequenceInsert"
    at = node.inputs[2 if inserts else 1] if len(node.inputs) > (2 if inserts else 1) else None
    position = (len(elements) if inserts else len(elements) - 1) if at is None else _position(at, len(elements))
    if position is None or not 0 <= position < len(elements) + inserts:
        return None
    value = node.inputs[1] if inserts else None
    return [
        *elements[:position],
        *([value] if value is not None else []),
        *elements[position if inserts else position + 1 :],
    ]


def _position(value: ir.Value | None, length: int) -> int | None:
    """Return a position counted from the front, None if it is unknown or out of range."""
    array = constant(value)
    if array is None or not -length <= array.item() <= length:
        return None
    return int(array.item()) % length if array.item() < 0 else int(array.item())


def _split(node: ir.Node, opset: int) -> list[ir.Value] | None:
    """Add the Split that is equal to a SplitToSequence; `canonicalize` merges duplicates."""
    shape, axis = static_shape(node.inputs[0]), node.attributes.get_int("axis", 0)
    by = input_value(node, 1)
    sizes = constant(by)
    if shape is None or node.graph is None or (by is not None and sizes is None):
        return None
    # no sizes -> parts of 1, a number -> parts of that size and the rest, a list -> these sizes
    length = shape[axis]
    if sizes is None:
        parts = [1] * length
    elif sizes.ndim == 0:
        step = int(sizes)
        parts = [step] * (length // step) + ([length % step] if length % step else [])
    else:
        parts = [int(size) for size in sizes]
    if not parts:
        return []
    add = Builder(node.graph, node, f"{node.name or node.op_type}/split", opset)
    values = add.split_sizes(node.inputs[0], parts, axis)
    # a list of sizes keeps the axis; ONNX Runtime removes it for a number, which is then 1
    squeezed = (sizes is None or sizes.ndim == 0) and node.attributes.get_int("keepdims", 1) == 0
    return [add.squeeze(value, axis) for value in values] if squeezed else values
