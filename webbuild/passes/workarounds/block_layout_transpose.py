from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import constant, consumers, known_rank, static_shape
from webbuild.passes.workarounds.base import DefectContext, PassContext, Symptom, Workaround

_LAYOUT_SENSITIVE = {
    "AveragePool", "BatchNormalization", "Conv", "ConvTranspose", "DepthToSpace", "GlobalAveragePool", "GlobalMaxPool",
    "MaxPool",
}  # fmt: skip
"""Operators that the engine computes channels last, between two Transposes. Measured on 1.30.0."""

_PASSING = {
    "Abs", "Add", "And", "Cast", "Ceil", "Clip", "Concat", "Div", "Elu", "Equal", "Erf", "Exp", "Floor", "Greater",
    "GreaterOrEqual", "HardSigmoid", "HardSwish", "Identity", "IsInf", "IsNaN", "LeakyRelu", "Less", "LessOrEqual",
    "Log", "Max", "Min", "Mul", "Neg", "Not", "Or", "PRelu", "Pad", "Pow", "ReduceMax", "ReduceMean", "ReduceMin",
    "ReduceSum", "Relu", "Sigmoid", "Slice", "Softmax", "Softplus", "Split", "Sqrt", "Sub", "Tanh", "Tile", "Where",
    "Xor",
}  # fmt: skip
"""Operators past which the engine moves a Transpose."""

_HEADS = [0, 2, 1, 3]
"""The permutation of attention heads: the engine does not move such a Transpose."""

_TRANSPOSABLE = {ir.DataType.FLOAT, ir.DataType.FLOAT16, ir.DataType.INT32, ir.DataType.UINT32}
"""Types for which Transpose has a GPU kernel."""


class BlockLayoutTranspose(Workaround):
    """Cast<to = uint8>(Conv(x)) -> Cast<to = uint8>(Gather(Conv(x), [0, .., N - 1])), comparisons and a Where alike.

    Defect: a Transpose that the engine adds runs on the CPU: the engine moves it after a node with another output type,
    or puts it before the mask that a Where reads.

    Why: the GPU's convolutions and pools need channels-last tensors, so the engine puts a Transpose before and after
    each. It moves the second Transpose as far down as it can: to a mask of uint8 or bool that is an output of the graph
    or the input of a Reshape. Past a Where it transposes the condition instead. It moves the model's own Transposes
    too, past a Where only on the way to a convolution or a pool. No GPU kernel transposes uint8, bool or int64.

    How: the pass adds a Gather of every row. The engine does not move a Transpose past a Gather, and Gather has a GPU
    kernel for every type that the GPU computes with.

    Limits: the batch size must be known. A value that becomes float or int32 again before it is read is not rewritten.

    Exact.

    Source: measured on 1.30.0.
    """

    code = "block-layout-transpose"
    after = (
        "append-class-maps", "bool-to-int", "canonicalize", "decompose-bool-where", "decompose-logic",
        "decompose-qlinear", "dequantize-ops", "eliminate-no-ops", "fold-constants", "hoist-cast", "narrow-int64",
        "resize-to-matmul", "upgrade-opset",
    )  # fmt: skip
    finding = "layout-transpose"
    operators = ("Cast", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Where")
    severity = "warning"
    outcome = "cpu"
    summary = "a Transpose on the CPU"
    fix = "return floats, and compare them in JavaScript"
    probe = "mask_of_a_conv"

    def affects(self, node: ir.Node, context: DefectContext) -> Symptom | None:
        if node.op_type == "Where":
            stays = _transposes_condition(node) and bool(_moved_inputs(node))
            return Symptom(f"the engine transposes its condition, {_name(node.inputs[0])}") if stays else None
        if not _is_stranded(node.outputs[0], context) or not _moved_inputs(node):
            return None
        return Symptom(f"the engine moves a Transpose after it, to {_name(node.outputs[0])}")

    def refusal(self, node: ir.Node, context: DefectContext) -> str | None:
        known = all(static_shape(value) for value in _moved_inputs(node))
        return None if known else "its batch is of any size"

    def rewrite(self, node: ir.Node, context: PassContext) -> str:
        add = Builder(context.model.graph, node, f"{node.name or node.op_type}/kept")
        for value in dict.fromkeys(_moved_inputs(node)):
            (rows, *_) = static_shape(value) or [1]
            gathered = add.op("Gather", value, add.const(np.arange(rows), np.int64), axis=0)
            gathered.shape, gathered.type = value.shape, value.type
            for index, operand in enumerate(node.inputs):
                if operand is value:
                    node.replace_input_with(index, gathered)
        transposed = node.inputs[0] if node.op_type == "Where" else node.outputs[0]
        return f"a Gather of every row keeps the engine's Transpose before it, not of {_name(transposed)}"


def _name(value: ir.Value | None) -> str:
    return "an unknown type" if value is None or value.dtype is None else value.dtype.name.lower()


def _is_stranded(value: ir.Value, context: DefectContext) -> bool:
    """Whether a Transpose that is moved to a value stays at a value of a type that the GPU cannot transpose.

    Values that only the CPU reads do not count: they are copied to the CPU anyway.
    """
    waiting, seen = [value], set()
    while waiting:
        each = waiting.pop()
        if each in seen or each.dtype is None or each.dtype in _TRANSPOSABLE:
            continue
        seen.add(each)
        readers = consumers(each)
        if each.is_graph_output() or any(not _passes(node) and context.on_gpu(node) for node in readers):
            return True
        waiting += [output for node in readers if _passes(node) for output in node.outputs]
    return False


def _transposes_condition(node: ir.Node) -> bool:
    """Whether moving a Transpose past a Where leaves one at its condition, to which none moves by itself."""
    condition = node.inputs[0]
    if constant(condition) is not None or not known_rank(condition) or condition is None or _is_moved(condition):
        return False
    data = [value for value in node.inputs[1:] if value is not None and value.dtype in _TRANSPOSABLE]
    return any(_is_moved(value, own=False) for value in data) or _reaches_layout(node.outputs[0])


def _reaches_layout(value: ir.Value) -> bool:
    """Whether a Transpose that is moved past a value reaches one before a convolution or a pool."""
    waiting, seen = [value], set[ir.Node]()
    while waiting:
        for node in consumers(waiting.pop()):
            if node.op_type in _LAYOUT_SENSITIVE:
                return True
            if _passes(node) and node not in seen:
                seen.add(node)
                waiting += node.outputs
    return False


def _moved_inputs(node: ir.Node) -> list[ir.Value]:
    """Return the inputs to which the engine moves a Transpose."""
    return [value for value in node.inputs if value is not None and value.dtype in _TRANSPOSABLE and _is_moved(value)]


def _is_moved(value: ir.Value, *, own: bool = True) -> bool:
    """Whether the engine moves a Transpose to a value: one that it added, or, if `own`, one of the model."""
    waiting, seen = [value], set()
    while waiting:
        producer = waiting.pop().producer()
        if producer is None or producer in seen:
            continue
        seen.add(producer)
        if producer.op_type in _LAYOUT_SENSITIVE or (own and _is_moved_transpose(producer)):
            return True
        if _passes(producer):
            waiting += [each for each in producer.inputs if each is not None]
    return False


def _is_moved_transpose(node: ir.Node) -> bool:
    """Whether a node is a Transpose of the model, except one that cancels the engine's."""
    order, value = list(node.attributes.get_ints("perm", [])), node.inputs[0] if node.inputs else None
    if node.op_type != "Transpose" or order == _HEADS:
        return False
    channels_last = order == [0, *range(2, len(order)), 1]
    return not channels_last or value is None or not _is_moved(value)


def _passes(node: ir.Node) -> bool:
    """Whether the engine moves a Transpose past a node. It often stops at a reduction that drops axes."""
    return node.op_type in _PASSING and bool(node.attributes.get_int("keepdims", 1))
