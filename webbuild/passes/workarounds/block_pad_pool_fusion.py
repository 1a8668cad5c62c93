from __future__ import annotations

from typing import Any, Literal

import numpy as np
import onnx_ir as ir

from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import constant, consumers, only_reader, opset_version
from webbuild.passes.workarounds.base import DefectContext, PassContext, Symptom, Workaround

_NEVER_NEGATIVE = ("Relu", "Sigmoid", "HardSigmoid", "Abs", "Exp", "Softmax")
_FLOATS = (ir.DataType.FLOAT, ir.DataType.FLOAT16, ir.DataType.DOUBLE)
_PAD_INPUT_OPSET, _MAX_OPSET = 11, 8
"""First opsets in which the value of Pad is an input, and in which Max broadcasts."""


class BlockPadPoolFusion(Workaround):
    """MaxPool(Pad(x [N, C, H, W], pads, 0)) -> MaxPool(Pad(x, pads, -0)), and AveragePool alike.

    Defect: the answer is wrong, or no session is created: the engine fuses a Pad of zeros into the padding of a pool.

    Why: the engine's optimizer adds the sizes of a zero Pad to the pads of the MaxPool or AveragePool after it. It does
    so in every build, WASM too; with graphOptimizationLevel `disabled` the answer is right. A pool ignores its own
    padding, but the zeros of the Pad count:

    - The largest of negative numbers and zeros is 0; the fused pool returns a negative number.
    - With ceil_mode the output has another size.
    - With a border as wide as the window, no session is created.

    How: the optimizer fuses only a pad value whose bits are all zero, so the pass pads with -0.

    Limits: floats; opset 8 or newer. Below opset 11 the pass inserts a Max with the lowest float between the two. A Pad
    is not rewritten if its input is never negative and the fused pool has the same output size.

    Exact: -0 equals 0.

    Source: measured on 1.30.0.
    """

    code = "block-pad-pool-fusion"
    finding = "pad-pool-fusion"
    target = None
    operators = ("Pad",)
    outcome = "wrong"
    fix = "pad with -0, which is equal and not recognized"
    probe = "pad_before_max_pool"
    gpu_only = False

    def affects(self, node: ir.Node, context: DefectContext) -> Symptom | None:
        pool = _following_pool(node)
        outcome = None if pool is None else fusion_outcome(node, pool)
        if pool is None or outcome is None:
            return None
        reason = f"the optimizer takes its zeros for the border of the {pool.op_type} after it"
        return Symptom(reason, summary="no session" if outcome == "no-session" else "", outcome=outcome)

    def refusal(self, node: ir.Node, context: DefectContext) -> str | None:
        floats = node.outputs[0].dtype in _FLOATS and opset_version(context.model) >= _MAX_OPSET
        return None if floats else "the engine fuses it into the pool: padding with -0 needs floats and opset 8"

    def rewrite(self, node: ir.Node, context: PassContext) -> str:
        pool, dtype, graph = _following_pool(node), node.outputs[0].dtype, context.model.graph
        assert pool is not None
        assert dtype is not None
        if opset_version(context.model) < _PAD_INPUT_OPSET:
            _keep_apart(graph, node, dtype.numpy())
        else:
            add = Builder(graph, node, f"{node.name or 'Pad'}/zero")
            inputs = [*node.inputs[:2], add.const(-0.0, dtype.numpy())]
            node.resize_inputs(3)
            for index, value in enumerate(inputs):
                node.replace_input_with(index, value)
        return f"pads with -0, so that the {pool.op_type} after it counts the zeros"


def _following_pool(node: ir.Node) -> ir.Node | None:
    """Return the pool that is the only reader of a Pad, directly or after a Cast; None if there is none."""
    reader = only_reader(node.outputs[0])
    if reader is not None and reader.op_type == "Cast":
        reader = only_reader(reader.outputs[0])
    pools = reader is not None and reader.op_type in ("MaxPool", "AveragePool") and len(reader.outputs) == 1
    automatic = reader is not None and reader.attributes.get_string("auto_pad", "NOTSET") != "NOTSET"
    return reader if pools and not automatic else None


def fusion_outcome(node: ir.Node, pool: ir.Node) -> Literal["no-session", "wrong"] | None:
    """Return the outcome of fusing a Pad into a pool's pads; None if it is right, or the engine does not fuse it."""
    if not _is_fused(node):
        return None
    source, sizes = node.inputs[0], _pad_sizes(node) or []
    producer = None if source is None else source.producer()
    window, rank = pool.attributes.get_ints("kernel_shape", []), len(sizes) // 2
    own = pool.attributes.get_ints("pads", [0] * 2 * len(window))
    if pool.op_type == "AveragePool" and any(own) and not pool.attributes.get_int("count_include_pad", 0):
        return None
    around = zip(own, [*sizes[2:rank], *sizes[rank + 2 :]], [*window] * 2, strict=True)
    if any(first + second >= size for first, second, size in around):
        return "no-session"
    negative = producer is None or producer.op_type not in _NEVER_NEGATIVE
    differs = pool.attributes.get_int("ceil_mode", 0) or (pool.op_type == "MaxPool" and negative)
    return "wrong" if differs else None


def _is_fused(node: ir.Node) -> bool:
    """Whether the optimizer fuses a Pad: it pads only spatial axes, with zeros."""
    if node.attributes.get_string("mode", "constant") != "constant" or len(node.inputs) > 3:
        return False
    sizes = _pad_sizes(node)
    if sizes is None or min(sizes, default=0) < 0 or any(sizes[: len(sizes) // 2][:2] + sizes[len(sizes) // 2 :][:2]):
        return False
    if len(node.inputs) < 3 or node.inputs[2] is None:
        return node.attributes.get_float("value", 0.0) == 0
    value = constant(node.inputs[2])
    return value is not None and not any(value.tobytes())


def _pad_sizes(node: ir.Node) -> list[int] | None:
    """Return the sizes of a Pad: those before each axis, then those after."""
    if len(node.inputs) < 2:
        return list(node.attributes.get_ints("pads", []))
    known = constant(node.inputs[1])
    return None if known is None else [int(size) for size in known]


def _keep_apart(graph: ir.Graph, node: ir.Node, kind: Any) -> None:
    """Insert a Max with the lowest float between a Pad and its pool."""
    value, reader = node.outputs[0], consumers(node.outputs[0])[0]
    add = Builder(graph, reader, f"{node.name or 'Pad'}/kept")
    reader.replace_input_with(0, add.op("Max", value, add.const(float(np.finfo(np.float32).min), kind)))
