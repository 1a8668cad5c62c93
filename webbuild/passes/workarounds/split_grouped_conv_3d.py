from __future__ import annotations

from itertools import pairwise

import onnx_ir as ir

from webbuild.passes.rewrite import known_rank, static_shape
from webbuild.passes.workarounds.base import DefectContext, PassContext, Symptom, Workaround
from webbuild.passes.workarounds.split_grouped_conv import split_groups

_RANK_3D = 5


class SplitGroupedConv3D(Workaround):
    """Conv(x [N, G*C, D, H, W], w [G*M, C, *kernel], group=G) -> Concat(Conv(x_1, w_1), ..., Conv(x_G, w_G), axis=1).

    Defect: the run throws: `Conv3D does not support grouped convolution`.

    Limits: the sizes of the weights must be known.

    Exact: each group reads its own channels, as before; sums may be rounded in another order.

    Source: measured on 1.30.0.
    """

    code = "split-grouped-conv-3d"
    finding = "grouped-conv-3d"
    operators = ("Conv",)
    fix = "convolve each group on its own"
    probe = "conv/3-D 2 groups"
    tolerance = 1e-6

    def affects(self, node: ir.Node, context: DefectContext) -> Symptom | None:
        is_volume = any(known_rank(value) == _RANK_3D for value in node.inputs[:2])
        if node.attributes.get_int("group", 1) == 1 or not is_volume:
            return None
        return Symptom("the GPU kernel convolves volumes in one group only")

    def refusal(self, node: ir.Node, context: DefectContext) -> str | None:
        return "the sizes of its weights are not known" if static_shape(node.inputs[1]) is None else None

    def rewrite(self, node: ir.Node, context: PassContext) -> str:
        groups, weights = node.attributes.get_int("group", 1), static_shape(node.inputs[1]) or []
        split_groups(context.model.graph, node, weights, list(pairwise(range(groups + 1))))
        return f"{groups} groups, each on its own"
