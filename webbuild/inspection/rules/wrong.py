"""Nodes whose result is wrong, or differs from the CPU's."""

from __future__ import annotations

from functools import partial

import numpy as np
import onnx_ir as ir

from webbuild.inspection.context import InspectionContext, constant_input, dtype_name
from webbuild.inspection.rules.base import rule
from webbuild.passes.rewrite import input_value, is_empty, is_small_input, known_rank, static_shape
from webbuild.passes.workarounds.base import Symptom
from webbuild.passes.workarounds.cpu_fallback import CpuFallback

_INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")

_BOUNDED_OPS = ("Atan", "Clip", "Cos", "HardSigmoid", "Mod", "Sigmoid", "Sin", "Softmax", "Tanh")

_FLASH_QUERIES = 32
"""Minimum number of queries for which attention uses its flash-attention kernel."""

_READS_INPUT = "it reads an input of the graph"

_wrong_rule = partial(rule, summary="wrong answer", outcome="wrong")


@_wrong_rule("cast-out-of-range", "Cast", severity="note", fix="put a Clip before it")
def cast_out_of_range(node: ir.Node, context: InspectionContext) -> Symptom | None:
    """The answer differs for out-of-range numbers: ONNX does not define how a float Cast converts them.

    x86 gives the lowest int32 for 3e9, and 255 for -1 as uint8. WebAssembly and the GPU clamp to the type's range, here
    to the largest int32 and 0, so running it on a browser's CPU does not help. The usual case is an image that is cast
    to uint8 with a pixel of -1 or 256.

    Fix: Clip before the Cast.

    Source: measured on 1.24.3 to 1.31.0-dev; ONNX, Cast.
    """
    source, dtype = node.inputs[0], dtype_name(node.outputs[0])
    if source is None or dtype_name(source) not in ("float", "float16") or dtype not in _INTEGERS:
        return None
    what = f"values out of the range of {dtype} differ from the CPU's"
    if is_small_input(source):
        return Symptom(f"'{source.name}' is an input of the graph, and may have any value", what)
    producer = source.producer()
    if dtype not in ("int8", "uint8") or (producer is not None and producer.op_type == "Clip"):
        return None
    return Symptom("ONNX does not define how Cast converts it", what)


@_wrong_rule("dequantize-blocks-1d", "DequantizeLinear", fix="give the tensor a second axis")
def dequantize_blocks_1d(node: ir.Node, context: InspectionContext) -> str | None:
    """The answer is wrong: a 1-D tensor has one scale per block, and the kernel reads one per element.

    Fix: cpu-fallback; or a Reshape to [1, n], and axis 1.

    Source: measured on 1.30.0.
    """
    blocked = node.attributes.get_int("block_size", 0)
    return "its blocks lie along its only axis" if blocked and known_rank(node.inputs[0]) == 1 else None


@_wrong_rule(
    "flash-attention-subgroups",
    *("MultiHeadAttention", "GroupQueryAttention", "Attention"),
    severity="note",
    summary="wrong on some GPUs",
    fix="export without fused attention if such GPUs matter",
)
def flash_attention_subgroups(node: ir.Node, context: InspectionContext) -> str | None:
    """The answer is wrong on GPUs with subgroups of 8 or fewer: Chromium's software adapter is one.

    From 32 queries on, heads with a size that is a multiple of 4 use a separate kernel. It is wrong with subgroups of 4
    and of 8. Wider subgroups, which most GPUs have, were not measured. `verify` shows the defect, and a bundle tests
    itself on the GPU of each visitor.

    Fix: export without fused attention; MatMul and Softmax are right there.

    Source: measured on 1.30.0.
    """
    queries = static_shape(node.inputs[0])
    if node.domain != "com.microsoft" or queries is None or len(queries) != 3 or queries[1] < _FLASH_QUERIES:
        return None
    size = _head_size(node, queries[2])
    if size is None or size % 4:
        return None
    return f"{queries[1]} queries with heads of {size}: its kernel requires subgroups of more than 8"


def _head_size(node: ir.Node, width: int) -> int | None:
    """Return the head size of an ONNX Runtime attention operator, None if unknown."""
    heads = node.attributes.get_int("num_heads", 0)
    if node.op_type == "Attention":
        weights = static_shape(input_value(node, 1))
        return weights[1] // 3 // heads if weights and heads else None
    if node.op_type == "GroupQueryAttention" and input_value(node, 1) is None:
        heads += 2 * node.attributes.get_int("kv_num_heads", 0)
    return width // heads if heads else None


@_wrong_rule("logsumexp-integer-rounding", "ReduceLogSumExp", summary="off by one", fix="cast to float before it")
def logsumexp_integer_rounding(node: ir.Node, context: InspectionContext) -> str | None:
    """The answer may be off by one: ReduceLogSumExp of integers rounds, and ONNX truncates.

    Fix: cpu-fallback; or a Cast to float before it.

    Source: measured on 1.30.0.
    """
    x = node.inputs[0]
    is_integer = x is not None and x.dtype in (ir.DataType.INT32, ir.DataType.UINT32)
    return "it rounds where ONNX cuts" if is_integer and not is_empty(x) else None


@_wrong_rule("pad-wrap", "Pad", fix="join slices with Concat instead")
def pad_wrap(node: ir.Node, context: InspectionContext) -> str | None:
    """The answer is wrong: a Pad in wrap mode with a negative pad.

    Pad([1 2 3 4], pads=[2, -1], mode=wrap) is [2 3 1 2 3]: cropped first, then wrapped. The GPU kernel returns another
    result.

    Fix: Concat of Slices.

    Source: measured on 1.30.0.
    """
    pads = constant_input(node, 1)
    if node.attributes.get_string("mode", "constant") != "wrap" or pads is None:
        return None
    return "it wraps around one side, and cuts another" if (pads < 0).any() and (pads > 0).any() else None


@_wrong_rule("reduce-empty-axes", "ReduceLogSum", "ReduceSumSquare", fix="use Log, or Mul, instead")
def reduce_empty_axes(node: ir.Node, context: InspectionContext) -> str | None:
    """The answer is wrong: with empty axes, this reduction returns its input unchanged.

    ONNX still requires the logarithm of ReduceLogSum, and the square of ReduceSumSquare.

    Fix: Log, or Mul of the tensor with itself.

    Source: measured on 1.30.0.
    """
    axes = constant_input(node, 1)
    no_axes = input_value(node, 1) is None or (axes is not None and axes.size == 0)
    if not no_axes or node.attributes.get_int("noop_with_empty_axes", 0) == 0:
        return None
    return f"{node.op_type} over no axes gives its input back"


@_wrong_rule("small-pointwise-conv-bias", "Conv", fix="use the engine from 1.30.0 on")
def small_pointwise_conv_bias(node: ir.Node, context: InspectionContext) -> str | None:
    """The answer is wrong before 1.30.0: a 1x1 Conv with a bias, from fewer than 8 channels to fewer than 8.

    Fix: the engine from 1.30.0 on, or the bias as an Add.

    Source: measured on 1.24.3, 1.27.0, 1.29.0; right on 1.30.0. onnxruntime #29651.
    """
    weight = static_shape(input_value(node, 1))
    if context.engine_version >= (1, 30) or weight is None or input_value(node, 2) is None:
        return None
    small = all(size == 1 for size in weight[2:]) and max(weight[:2]) < 8
    return "its bias is lost: a 1x1 Conv of fewer than 8 channels" if small else None


@_wrong_rule(
    "softmax-fully-masked",
    "Softmax",
    summary="a row of -inf becomes 0, not NaN",
    severity="note",
    fix="mask with -1e4 instead of -inf",
)
def softmax_fully_masked(node: ir.Node, context: InspectionContext) -> Symptom | None:
    """The answer may differ: a Softmax of a row of -inf is zeros on the GPU, and NaN on the CPU.

    The row is 0 / 0, and the GPU returns 0. Attention masks of -inf cause it, for a query whose keys are all masked.

    Fix: mask with a large negative number, such as -1e4. If the node reads an input of the graph, cpu-fallback: that
    input is on the CPU anyway.

    Source: measured on 1.24.3 to 1.31.0-dev.
    """
    source = node.inputs[0]
    if source is None or is_empty(source):
        return None
    if is_small_input(source):
        return Symptom(_READS_INPUT, fixed_by=CpuFallback.code)
    producer = source.producer()
    if producer is None or producer.op_type not in ("Add", "Where"):
        return None
    masked = any(_holds_infinity(producer, index) for index in range(len(producer.inputs)))
    return Symptom(f"{producer.op_type} before it masks with -inf") if masked else None


def _holds_infinity(node: ir.Node, index: int) -> bool:
    stored = None if input_value(node, index) is None else constant_input(node, index)
    return stored is not None and stored.dtype.kind == "f" and bool(np.isneginf(stored).any())


@_wrong_rule("trig-range", "Sin", "Cos", "Tan", severity="note", fix="reduce the angle to one turn before it")
def trig_range(node: ir.Node, context: InspectionContext) -> Symptom | None:
    """Sin, Cos and Tan lose accuracy for large angles: WGSL guarantees 2^-11 within -pi to pi only.

    On a software adapter the error of Sin and Cos is 0.0002 up to 1,000, 0.0008 at 10,000, 0.007 at 100,000, 0.09 at
    1,000,000: the range reduction divides the angle by a turn in one step. Encodings of positions and of time seldom
    exceed 1,000.

    Fix: reduce the angle to one turn before the node. If the node reads a small input of the graph, cpu-fallback: that
    input is on the CPU anyway.

    Source: measured on 1.30.0; WGSL, "accuracy of built-in functions".
    """
    source = node.inputs[0]
    producer = None if source is None else source.producer()
    if producer is not None and producer.op_type in _BOUNDED_OPS:
        return None
    what = f"{node.op_type} beyond 10,000 is off by 0.001 and more"
    if is_small_input(source):
        return Symptom(_READS_INPUT, what, fixed_by=CpuFallback.code)
    return Symptom("WGSL guarantees no accuracy outside -pi to pi", what)


@_wrong_rule(
    "unsorted-topk",
    "TopK",
    summary="another order",
    severity="warning",
    fix="set sorted to 1",
    passes=(CpuFallback.code,),
)
def unsorted_topk(node: ir.Node, context: InspectionContext) -> str | None:
    """The order differs from the CPU's: TopK with sorted=0 returns its elements in any order.

    Fix: export with sorted=1 if the order matters. Otherwise cpu-fallback, which gives the CPU's order.

    Source: measured on 1.25.1 to 1.31.0-dev.
    """
    is_sorted = node.attributes.get_int("sorted", 1) == 1
    return None if is_sorted else "sorted is 0, so every engine has its own order"
