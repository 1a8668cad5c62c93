"""Sequences and optionals of known content."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes._base import Edit, Options, Pass
from webbuild.passes._graph import Builder, constant, dims, opset_of, replace
from webbuild.passes._shapes import infer

_READING = ("SequenceAt", "SequenceLength", "ConcatFromSequence", "OptionalGetElement", "OptionalHasElement")


class KnownSequences(Pass):
    """Takes tensors straight from where they were made, instead of through a sequence or an optional.

    Exporters write a Python list as a sequence, above all one that a loop appends to. Sequences have no GPU kernels:
    what goes into one is copied to the CPU. Where it is known what lies where, an element is the value that was put
    there, and elements that are joined become a Concat.
    """

    code = "known-sequences"
    after = ("clean-up", "fold-constants", "unrolled-loops")

    def apply(self, model: ir.Model, options: Options) -> list[Edit]:
        """Replace what reads a sequence or an optional."""
        edits = []
        for graph in list(model.graphs()):
            for node in list(graph):
                if node.domain not in ("", "ai.onnx") or node.op_type not in _READING:
                    continue
                where = f"{node.op_type} '{node.name}'"
                if (value := _read(model, graph, node)) is None:
                    edits.append(self.left(where, "what lies in it is decided by the data: it stays on the CPU"))
                    continue
                replace(node.outputs[0], value)
                graph.remove(node, safe=True)
                edits.append(self.done(where, "it is known what lies in it"))
        if any(edit.done for edit in edits):
            infer(model)
        return edits


def _read(model: ir.Model, graph: ir.Graph, node: ir.Node) -> ir.Value | None:
    """Return what a node reads, None if that is not known."""
    add = Builder(graph, node, f"{node.name or node.op_type}/known", opset_of(model))
    if node.op_type.startswith("Optional"):
        return _of_optional(add, node)
    elements = _elements(node.inputs[0], opset_of(model))
    if elements is None:
        return None
    if node.op_type == "SequenceLength":
        return add.const(len(elements), np.int64)
    if node.op_type == "SequenceAt":
        place = _place(node.inputs[1], len(elements))
        return None if place is None or place == len(elements) else elements[place]
    axis = node.attributes.get_int("axis", 0)
    stacked = node.attributes.get_int("new_axis", 0) == 1
    parts = [add.unsqueeze(value, axis) for value in elements] if stacked else elements
    return add.op("Concat", *parts, axis=axis) if parts else None


def _of_optional(add: Builder, node: ir.Node) -> ir.Value | None:
    """Return what is in an optional, or whether anything is. From opset 18 on a tensor may be given for one."""
    given = node.inputs[0] if node.inputs else None
    maker = None if given is None else given.producer()
    if maker is not None and maker.op_type == "Optional":
        given = maker.inputs[0] if maker.inputs else None
    elif given is not None and not isinstance(given.type, ir.TensorType):
        return None
    return add.const(given is not None, np.bool_) if node.op_type == "OptionalHasElement" else given


def _elements(sequence: ir.Value | None, opset: int) -> list[ir.Value] | None:
    """Return what lies in a sequence, None if that is not known."""
    changes: list[ir.Node] = []
    node = None if sequence is None else sequence.producer()
    while node is not None and node.op_type in ("SequenceInsert", "SequenceErase", "Identity"):
        changes.append(node)
        node = None if node.inputs[0] is None else node.inputs[0].producer()
    elements = None if node is None else _made(node, opset)
    for change in reversed(changes):
        elements = _changed(elements, change)
    return elements


def _made(node: ir.Node, opset: int) -> list[ir.Value] | None:
    if node.op_type == "SequenceEmpty":
        return []
    if node.op_type == "SequenceConstruct":
        return [value for value in node.inputs if value is not None]
    return _split(node, opset) if node.op_type == "SplitToSequence" else None


def _changed(elements: list[ir.Value] | None, node: ir.Node) -> list[ir.Value] | None:
    """Return the elements behind an insertion or a removal."""
    if elements is None or node.op_type == "Identity":
        return elements
    inserts = node.op_type == "SequenceInsert"
    at = node.inputs[2 if inserts else 1] if len(node.inputs) > (2 if inserts else 1) else None
    place = (len(elements) if inserts else len(elements) - 1) if at is None else _place(at, len(elements))
    if place is None or not 0 <= place < len(elements) + inserts:
        return None
    value = node.inputs[1] if inserts else None
    return [*elements[:place], *([value] if value is not None else []), *elements[place if inserts else place + 1 :]]


def _place(value: ir.Value | None, length: int) -> int | None:
    """Return a position from the front, None if it is not known or not there."""
    array = constant(value)
    if array is None or not -length <= array.item() <= length:
        return None
    return int(array.item()) % length if array.item() < 0 else int(array.item())


def _split(node: ir.Node, opset: int) -> list[ir.Value] | None:
    """Add the Split that a SplitToSequence stands for; clean-up merges equal ones."""
    shape, axis = dims(node.inputs[0]), node.attributes.get_int("axis", 0)
    by = node.inputs[1] if len(node.inputs) > 1 else None
    sizes = constant(by)
    if shape is None or node.graph is None or (by is not None and sizes is None):
        return None
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
    values = add.parts(node.inputs[0], parts, axis)
    squeezed = sizes is None and node.attributes.get_int("keepdims", 1) == 0
    return [add.squeeze(value, axis) for value in values] if squeezed else values
