"""Splits into too many parts for one shader."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx_ir as ir

from webbuild.passes._base import Edit, Options, Pass
from webbuild.passes._graph import Builder, dims, nodes_of, replace

_MOST = 7
"""Outputs of one shader: WebGPU promises 8 storage buffers to a shader, and the input is one."""


class SplitTree(Pass):
    """Splits in steps what is split into more than 7 parts.

    Why: the WebGPU kernel of Split binds a buffer for its input and each output, and throws "Too many storage buffers
    in shader" where the device allows fewer. WebGPU promises 8; desktops mostly have 10, some phones 8.

    How: a Split into at most 7 runs of parts, and a Split of each run. Exact. Needs fixed sizes along the axis.
    """

    code = "split-tree"
    after = ("fold-constants", "lower-opset")
    target = "webgpu"

    def apply(self, model: ir.Model, options: Options) -> list[Edit]:
        """Split each in steps."""
        edits = []
        for node in nodes_of(model, "Split"):
            if len(node.outputs) <= _MOST:
                continue
            where, axis = f"Split '{node.name}'", node.attributes.get_int("axis", 0)
            shapes = [dims(output) for output in node.outputs]
            sizes = [shape[axis] for shape in shapes if shape is not None]
            if len(sizes) < len(node.outputs):
                edits.append(self.left(where, f"{len(node.outputs)} parts of unknown sizes"))
                continue
            add = Builder(model.graph, node, f"{node.name or 'Split'}/tree")
            for old, new in zip(node.outputs, _split(add, node.inputs[0], sizes, axis), strict=True):
                new.shape, new.type = old.shape, old.type
                replace(old, new)
            edits.append(self.done(where, f"{len(sizes)} parts in steps of at most {_MOST}"))
        return edits


def _split(add: Builder, data: ir.Value | None, sizes: Sequence[int], axis: int) -> list[ir.Value]:
    if len(sizes) <= _MOST:
        return [data] if len(sizes) == 1 and data is not None else add.parts(data, list(sizes), axis)
    step = -(-len(sizes) // _MOST)
    runs = [sizes[first : first + step] for first in range(0, len(sizes), step)]
    parts = add.parts(data, [int(np.sum(run)) for run in runs], axis)
    return [each for part, run in zip(parts, runs, strict=True) for each in _split(add, part, run, axis)]
