"""Tensors above a device's maxStorageBufferBindingSize."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext
from webbuild.inspection.op_cost import MAX_BINDING_SIZE, MIN_BINDING_SIZE
from webbuild.inspection.rules.base import rule
from webbuild.passes.analysis.row_parallel import enclosing_region
from webbuild.passes.limits.split_conv_input import SplitConvInput, splittable_maker
from webbuild.passes.limits.split_large_weights import SplitLargeWeights, column_weight, columns_per_part
from webbuild.passes.limits.tile_attention import TileAttention
from webbuild.passes.rewrite import nbytes
from webbuild.passes.workarounds.base import Symptom


@rule(
    "storage-buffer-size",
    severity="warning",
    summary="throws on many phones",
    fix="make its input smaller, or compute it in parts",
    passes=(SplitLargeWeights.code, TileAttention.code, SplitConvInput.code),
)
def storage_buffer_size(node: ir.Node, context: InspectionContext) -> Symptom | None:
    """A tensor exceeds maxStorageBufferBindingSize of many devices: 128 MiB is guaranteed, 2 GiB is common on desktops.

    On those devices the run throws `exceeding maxStorageBufferBindingSize`, or runs out of memory.

    Fix: compute in parts, or make the tensor smaller:

    - split-large-weights splits the weights of a Gather, a MatMul or a Gemm.
    - tile-attention splits the scores of attention.
    - split-conv-input sums a Conv over parts of its input.
    - Otherwise use a smaller input, or broadcasting instead of Tile and Expand.

    Source: the WebGPU specification; onnxruntime #25195.
    """
    tensors = {value: nbytes(value) or 0 for value in (*node.inputs, *node.outputs) if value is not None}
    large = max(tensors, key=lambda value: tensors[value], default=None)
    if large is None or tensors[large] <= MIN_BINDING_SIZE:
        return None
    too_large = tensors[large] > MAX_BINDING_SIZE
    return Symptom(
        f"'{large.name}' takes {tensors[large] / 2**20:.0f} MiB; every device binds 128, none more than 2048",
        summary="throws" if too_large else "",
        severity="error" if too_large else None,
        fixed_by=_fixing_pass(node, large, context),
    )


def _fixing_pass(node: ir.Node, large: ir.Value, context: InspectionContext) -> str:
    weight = column_weight(node)
    if weight is large and context.is_constant(weight) and columns_per_part(node, weight, MIN_BINDING_SIZE):
        return SplitLargeWeights.code
    readers = [use.node for use in large.uses()]
    if large.producer() is not None and [splittable_maker(each, MIN_BINDING_SIZE) for each in readers] == [
        large.producer()
    ]:
        return SplitConvInput.code
    rows = enclosing_region(node, context.model.graph, MIN_BINDING_SIZE)
    return TileAttention.code if rows is not None else ""
