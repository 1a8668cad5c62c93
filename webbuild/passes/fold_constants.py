"""Constant folding."""

from __future__ import annotations

from collections import Counter

import onnx_ir as ir
from onnxscript import optimizer

from webbuild.passes._base import Edit, Options, Pass
from webbuild.passes._shapes import infer

_LARGEST = 4 * 1024 * 1024
"""Elements of the largest constant that folding may make."""


class FoldConstants(Pass):
    """Computes at build time what does not depend on the inputs: shapes, grids of anchors, index arithmetic.

    With fixed input sizes most int64 arithmetic of an export is of this kind, and int64 has no GPU kernels.
    """

    code = "fold-constants"
    after = ("clean-up", "freeze-dimensions")

    def apply(self, model: ir.Model, options: Options) -> list[Edit]:
        """Fold until nothing more can be folded."""
        before = Counter(node.op_type for node in model.graph)
        infer(model)
        optimizer.fold_constants_ir(
            model, onnx_shape_inference=False, input_size_limit=_LARGEST, output_size_limit=_LARGEST
        )
        folded = before - Counter(node.op_type for node in model.graph)
        if folded:
            infer(model)
        return [self.done("graph", f"{folded.total()} nodes computed in advance")] if folded else []
