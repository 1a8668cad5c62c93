"""Constant folding."""

from __future__ import annotations

import logging
import math
from collections import Counter

import onnx_ir as ir
from onnxscript import optimizer

from webbuild.passes._base import Edit, Options, Pass
from webbuild.passes._graph import constant
from webbuild.passes._shapes import infer

logging.getLogger(optimizer.__name__).setLevel(logging.ERROR)  # it warns of each node that it does not fold

_LARGEST = 4 * 1024 * 1024
"""Elements of the largest constant that folding may make."""

_LARGEST_FILL = 1024
"""Elements up to which a tensor of equal values is better stored than made."""


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
            model,
            onnx_shape_inference=False,
            input_size_limit=_LARGEST,
            output_size_limit=_LARGEST,
            should_fold=_is_small_fill,
        )
        folded = before - Counter(node.op_type for node in model.graph)
        if folded:
            infer(model)
        return [self.done("graph", f"{folded.total()} nodes computed in advance")] if folded else []


def _is_small_fill(node: ir.Node) -> bool | None:
    """Whether a node fills a small tensor; None leaves the choice to the optimiser, which never folds such nodes."""
    shape = constant(node.inputs[0]) if node.op_type == "ConstantOfShape" else None
    if shape is None or any(size < 0 for size in shape.tolist()):
        return None
    return True if math.prod(shape.tolist()) <= _LARGEST_FILL else None
