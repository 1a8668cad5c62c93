from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx_ir as ir

from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import replace_all_uses, static_shape
from webbuild.passes.workarounds.base import DefectContext, PassContext, Symptom, Workaround

MAX_OUTPUTS = 7
"""Outputs of one shader: WebGPU guarantees 8 storage buffers per shader, and the input takes one."""

_MAX_ON_MOST = 9
"""Outputs of one shader where a device binds 10 buffers, as most do."""


class SplitManyOutputs(Workaround):
    """Split(x [.., L, ..]) into n > 7 parts -> Split(x) into at most 7 runs, and Split(run) for each run.

    Defect: a shader binds a limited number of tensors, 8 on many devices and 10 on most.

    Why: a Split into that many parts throws `Too many storage buffers in shader`, and so does an Einsum of so many
    operands. A Concat of many inputs is right: its kernel joins them in several steps.

    Limits: the sizes of the parts must be fixed. An Einsum stays on the CPU.

    Exact: the same elements.

    Source: measured on 1.30.0; the WebGPU specification, maxStorageBuffersPerShaderStage.
    """

    code = "split-many-outputs"
    finding = "storage-buffer-count"
    after = ("fold-constants", "downgrade-opset")
    operators = ("Split", "Einsum")
    fix = "split in two steps"
    probe = "buffers/Split 10"

    def affects(self, node: ir.Node, context: DefectContext) -> Symptom | None:
        parts = len(node.outputs if node.op_type == "Split" else node.inputs)
        if parts <= MAX_OUTPUTS:
            return None
        reason = f"{parts} parts and one whole are more tensors than a shader binds"
        if parts > _MAX_ON_MOST:
            return Symptom(reason)
        return Symptom(reason, summary="throws on devices that bind 8", severity="warning")

    def refusal(self, node: ir.Node, context: DefectContext) -> str | None:
        if node.op_type == "Einsum":
            return f"{len(node.inputs)} operands"
        known = all(static_shape(output) is not None for output in node.outputs)
        return None if known else f"{len(node.outputs)} parts of unknown sizes"

    def rewrite(self, node: ir.Node, context: PassContext) -> str:
        axis = node.attributes.get_int("axis", 0)
        sizes = [(static_shape(output) or [])[axis] for output in node.outputs]
        add = Builder(context.model.graph, node, f"{node.name or 'Split'}/tree")
        for old, new in zip(node.outputs, _split(add, node.inputs[0], sizes, axis), strict=True):
            new.shape, new.type = old.shape, old.type
            replace_all_uses(old, new)
        return f"{len(sizes)} parts in steps of at most {MAX_OUTPUTS}"


def _split(add: Builder, data: ir.Value | None, sizes: Sequence[int], axis: int) -> list[ir.Value]:
    if len(sizes) <= MAX_OUTPUTS:
        return [data] if len(sizes) == 1 and data is not None else add.split_sizes(data, list(sizes), axis)
    step = -(-len(sizes) // MAX_OUTPUTS)
    runs = [sizes[first : first + step] for first in range(0, len(sizes), step)]
    parts = add.split_sizes(data, [int(np.sum(run)) for run in runs], axis)
    return [each for part, run in zip(parts, runs, strict=True) for each in _split(add, part, run, axis)]
