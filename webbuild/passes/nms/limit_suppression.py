from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.analysis.use_def import LAYOUT_OPS, slice_bounds
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import constant, consumers, find_nodes, known_rank, replace_all_uses, static_shape


class LimitSuppression(Pass):
    """Limits NonMaxSuppression to the number of boxes that its readers use.

        NonMaxSuppression(boxes, scores, 9223372036854775807, ...) [n, 3] -> Gather(2) [n] -> Slice(:100)
            ->  NonMaxSuppression(boxes, scores, 100, ...) [n, 3] -> Gather(2)

    Why: torchvision and Ultralytics let NMS return all boxes and then take the first 100 or 300. The Slice is int64, so
    it runs on the CPU, and NMS computes more boxes than are used.

    Limits: one list of scores, so that the boxes are in descending order of score. Exact.
    """

    code = "limit-suppression"
    after = (
        *("static-nms", "pad-nms-output", "static-generic-nms", "pad-generic-nms-output", "masked-suppression"),
        *("static-rotated-nms", "pad-rotated-nms-output", "padded-detections"),
    )
    target = "webgpu"
    scope = "main graph"

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        rewrites = []
        for nms in find_nodes(model, "NonMaxSuppression"):
            limits = _limits(nms.outputs[0]) if is_one_list(nms) else None
            most = constant(nms.inputs[2]) if len(nms.inputs) > 2 else None
            if not limits or most is None or most.size != 1:
                continue
            limit = max(bound for _, bound in limits)
            slices = [node for node, bound in limits if node.op_type == "Slice" and bound >= min(limit, most.item())]
            if not slices and most.item() <= limit:
                continue
            if most.item() > limit:
                add = Builder(model.graph, nms, f"{nms.name or 'NonMaxSuppression'}/limit")
                nms.replace_input_with(2, add.const([limit], np.int64))
            for node in slices:
                replace_all_uses(node.outputs[0], node.inputs[0])
                model.graph.remove(node, safe=True)
            rewrites.append(
                self.applied(nms, f"it selects {min(limit, most.item())} boxes at most, as its readers use no more")
            )
        return rewrites


def is_one_list(nms: ir.Node) -> bool:
    """Whether NMS reads one list of scores [1, 1, N], so that its boxes are in descending order of score."""
    sizes = static_shape(nms.inputs[1]) if len(nms.inputs) > 1 else None
    return sizes is not None and len(sizes) == 3 and sizes[:2] == [1, 1]


def _limits(selected: ir.Value) -> list[tuple[ir.Node, int]] | None:
    """Return the nodes that limit the boxes [n, 3] or their number, each with its limit.

        Slice(Gather(2), :20)    Min(Shape(Gather(2)), 20)

    None if another node reads all boxes or their number.
    """
    limits = []
    waiting = [selected]
    while waiting:
        value = waiting.pop()
        if value.is_graph_output():
            return None
        for node in consumers(value):
            bounds = slice_bounds(node)
            if node.graph is not selected.graph or node.inputs[0] is not value:
                return None
            if node.op_type == "Shape" and (known_rank(value) == 1 or node.attributes.get_int("end", 0) == 1):
                counts = _count_limits(node.outputs[0])
                if counts is None:
                    return None
                limits += counts
            elif bounds is not None and bounds[0] == 0 and bounds[1] > 0 and bounds[2] == 0:
                limits.append((node, bounds[1]))
            elif _keeps_boxes(node, value):
                waiting.append(node.outputs[0])
            else:
                return None
    return limits


def _count_limits(count: ir.Value) -> list[tuple[ir.Node, int]] | None:
    """Return the Min nodes of a count and a constant, each with the constant; None if another node reads the count."""
    limits = []
    for node in consumers(count):
        others = [constant(value) for value in node.inputs if value is not count]
        if node.op_type == "Min" and len(others) == 1 and others[0] is not None and others[0].size == 1:
            limits.append((node, int(others[0].item())))
        elif node.op_type in LAYOUT_OPS and node.inputs[0] is count:
            more = _count_limits(node.outputs[0])
            if more is None:
                return None
            limits += more
        else:
            return None
    return None if count.is_graph_output() else limits


def _keeps_boxes(node: ir.Node, value: ir.Value) -> bool:
    """Whether a node selects columns of boxes [n, 3], or reshapes [n, 1] to [n]."""
    rank = known_rank(value) or 0
    if node.op_type == "Gather":
        return rank == 2 and node.attributes.get_int("axis", 0) % rank == 1 and constant(node.inputs[1]) is not None
    bounds = slice_bounds(node)
    if bounds is not None:
        return rank == 2 and bounds[2] % rank == 1
    plain = node.op_type in LAYOUT_OPS and node.op_type not in ("Transpose", "Expand")
    column = value.shape is not None and (rank == 1 or (rank == 2 and value.shape[1] == 1))
    return plain and column and known_rank(node.outputs[0]) == 1
