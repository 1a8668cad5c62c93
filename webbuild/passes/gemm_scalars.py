"""Gemms that add a single number."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes._base import Edit, Options, Pass
from webbuild.passes._graph import Builder, constant, dims, nodes_of

_SMALL = 8


class GemmScalars(Pass):
    """Gives the number that a Gemm adds to every result a dimension of 1.

    Why: where the third input of Gemm has no dimensions, onnxruntime-web's WebGPU ends in a trap, after which its
    WebAssembly takes no further call. Matrices of up to 8 rows and columns have a kernel of their own, which does not.

    How: a number and a list of one number broadcast to the same. Exact.
    """

    code = "gemm-scalars"
    after = ("fold-constants",)
    target = "webgpu"

    def apply(self, model: ir.Model, options: Options) -> list[Edit]:
        """Reshape each such input."""
        edits = []
        for node in nodes_of(model, "Gemm"):
            if len(node.inputs) < 3 or dims(node.inputs[2]) != [] or is_small(node):
                continue
            add, stored = Builder(model.graph, node, f"{node.name or 'Gemm'}/scalar"), constant(node.inputs[2])
            if stored is None:
                listed = add.op("Reshape", node.inputs[2], add.const([1], np.int64))
                listed.shape, listed.type = ir.Shape([1]), node.inputs[2].type if node.inputs[2] else None
            else:
                listed = add.const(stored.reshape(1), stored.dtype)
            node.replace_input_with(2, listed)
            edits.append(self.done(f"Gemm '{node.name}'", "what it adds has a dimension of 1"))
        return edits


def is_small(node: ir.Node) -> bool:
    """Whether a Gemm is known to have matrices of up to 8 rows and columns alone."""
    sizes = [dims(value) for value in node.inputs[:2]]
    return all(shape is not None and max(shape) <= _SMALL for shape in sizes)
