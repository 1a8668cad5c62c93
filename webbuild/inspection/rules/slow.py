"""Nodes that run slowly on the GPU, or synchronize it with the CPU."""

from __future__ import annotations

import math
from functools import partial

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext
from webbuild.inspection.cpu_inputs import cpu_input_indices, has_cpu_output
from webbuild.inspection.rules.base import rule
from webbuild.passes.fusion.split_long_topk import SplitLongTopK, sorted_parts
from webbuild.passes.rewrite import input_value, static_shape
from webbuild.passes.workarounds.base import Symptom

_LARGE_AREA, _LONG_ROW = 1024, 100_000

_slow_rule = partial(rule, severity="warning", outcome="gpu")


@_slow_rule(
    "global-pool-single-thread",
    *("GlobalAveragePool", "GlobalMaxPool", "AveragePool", "MaxPool"),
    summary="slow",
    fix="use ReduceMean or ReduceMax instead",
)
def global_pool_single_thread(node: ir.Node, context: InspectionContext) -> str | None:
    """Slow: one GPU thread sums each whole channel.

    64 channels of 160 x 160 take seconds on SwiftShader. ReduceMean, which uses many threads, takes hundredths.

    Fix: ReduceMean, or ReduceMax, over the spatial axes.

    Source: measured; onnxruntime #23614.
    """
    sizes, kernel = static_shape(node.inputs[0]), node.attributes.get_ints("kernel_shape", [])
    area = math.prod(kernel) if kernel else math.prod(sizes[2:]) if sizes else 0
    return f"one thread reads {area} numbers for each output" if area >= _LARGE_AREA else None


@_slow_rule("gpu-readback-parameter", summary="waits for the GPU in every run", fix="make it a constant")
def gpu_readback_parameter(node: ir.Node, context: InspectionContext) -> str | None:
    """The CPU waits for the GPU in every run: the kernel reads an input on the CPU, but the GPU computes it.

    Shapes, axes, pads, bounds of Clip and the k of TopK are such inputs. The copy waits for all queued work.

    Fix: constants.

    Source: the engine's kernels; onnxruntime #27560.
    """
    for index in cpu_input_indices(node):
        value = input_value(node, index)
        producer = None if value is None else value.producer()
        if value is not None and producer is not None and context.on_gpu(producer) and not has_cpu_output(producer):
            return f"input {index}, '{value.name}', is computed on the GPU and read on the CPU"
    return None


@_slow_rule(
    "if-gpu-sync",
    "If",
    summary="waits for its condition",
    severity="note",
    fix="make the condition a constant",
    passes=("fold-constants",),
)
def if_gpu_sync(node: ir.Node, context: InspectionContext) -> str | None:
    """The GPU waits: the CPU reads the condition of an If before the branch starts.

    Fix: fix the sizes of the inputs; most conditions in exported models depend on sizes, and are then folded.

    Source: the engine's If kernel.
    """
    return None if context.is_constant(node.inputs[0]) else "the condition is computed in every run"


@_slow_rule(
    "large-topk",
    "TopK",
    summary="slow",
    fix="reduce the rows before it, with ReduceMax",
    passes=(SplitLongTopK.code,),
)
def large_topk(node: ir.Node, context: InspectionContext) -> Symptom | None:
    """Slow: TopK sorts its whole input, here more than 100,000 elements per row.

    Fix: the pass split-long-topk of `webbuild pack`, if there is one row. Otherwise take the maximum of each row first,
    with ReduceMax, then TopK of the maxima.

    Source: measured, 672,000 elements on SwiftShader.
    """
    sizes = static_shape(node.inputs[0])
    length = sizes[node.attributes.get_int("axis", -1)] if sizes else 0
    fixed_by = SplitLongTopK.code if sorted_parts(node) else ""
    return Symptom(f"it sorts {length} numbers", fixed_by=fixed_by) if length > _LONG_ROW else None
