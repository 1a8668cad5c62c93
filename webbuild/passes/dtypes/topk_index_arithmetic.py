from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.dtypes.int_as_float import FloatIndexRewriter, UnknownConsumerError
from webbuild.passes.rewrite import find_nodes, static_shape

_MAX_AXIS = 1 << 20
"""Longest axis of a TopK whose indices, and the values computed from them, are exact in float32."""


class TopKIndexArithmetic(Pass):
    """Computes index arithmetic on TopK indices (anchor, class) in float32.

        i = TopK(x [A * C]) int64 [K]      ->  f = Gather((0 .. A * C - 1), i) float32 [K]
        i / C                              ->  Floor((f + 0.5) * (1 / C))
        i % C                              ->  f - Floor((f + 0.5) * (1 / C)) * C

    Why: an end-to-end head sorts the scores of all classes at once, and computes anchor and class by dividing the
    index. WebGPU has no int64, so every division runs on the CPU, with copies around it.

    How: in float32 the same numbers are exact up to 16,777,216. They are cast to integers only where a Gather reads
    them.

    Limits: an axis of static size up to 1,048,576 elements, constant divisors. Exact.
    """

    code = "topk-index-arithmetic"
    after = ("static-nms", "argmax-int32", "eliminate-no-ops")
    target = "webgpu"

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        """Rewrite the arithmetic on the indices of each TopK."""
        rewrites = []
        for node in find_nodes(model, "TopK"):
            shape = static_shape(node.inputs[0])
            positions = FloatIndexRewriter(model.graph)
            try:
                if not positions.collect(node.outputs[1]):
                    continue
                size = None if shape is None else shape[node.attributes.get_int("axis", -1)]
                if size is None or size > _MAX_AXIS:
                    raise UnknownConsumerError(f"its axis has no static size, or is longer than {_MAX_AXIS}")
            except UnknownConsumerError as reason:
                rewrites.append(self.skipped(node, str(reason)))
                continue
            _rewrite(model, node, positions, size)
            rewrites.append(
                self.applied(node, f"{len(positions.nodes)} operators on its indices are computed in float32")
            )
        return rewrites


def _rewrite(model: ir.Model, node: ir.Node, positions: FloatIndexRewriter, size: int) -> None:
    """Look the indices up in a float32 table, as the GPU has no Cast from int64, and compute with these."""
    after = next(each for each in model.graph if each in positions.nodes)
    add = Builder(model.graph, after, f"{node.name or 'TopK'}/positions")
    positions.rewrite(node.outputs[1], add.op("Gather", add.const(np.arange(size)), node.outputs[1], axis=0))
