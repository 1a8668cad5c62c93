from __future__ import annotations

from collections.abc import Iterator, Sequence

import onnx_ir as ir

from webbuild.model.inferred_shapes import add_inferred_shapes
from webbuild.passes.analysis.boolean_mask import MaskSelection, NeedsGatherError, connected_choices, find_choices
from webbuild.passes.analysis.masked_rows import MaskedRegion
from webbuild.passes.analysis.use_def import UnknownNmsPatternError
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.graphs import trial_copy
from webbuild.passes.nms.box_pattern import find_box_nms
from webbuild.passes.nms.rotated_pattern import find_rotated_nms
from webbuild.passes.rewrite import find_nodes, opset_version
from webbuild.passes.static_shapes.dense_rows import rewrite_densely
from webbuild.passes.static_shapes.empty_guard import empty_guards, inline_guarded

_TYPES = (ir.DataType.FLOAT, ir.DataType.FLOAT16, ir.DataType.INT32, ir.DataType.INT64)


class MaskedSuppression(Pass):
    """Lets NonMaxSuppression read all boxes, with scores below its threshold for boxes that a mask filtered out.

        i = NonZero(scores [N] > 0.05)                        ->  c = scores > 0.05
        TopK(scores[i] [n], min(n, 400))                      ->  TopK(Where(c, scores, -3e38) [N], min(N, 400))
        NonMaxSuppression(boxes [1, n, 4], [1, 1, n])         ->  NonMaxSuppression([1, N, 4], [1, 1, N], ..., 0.05)
        If(size(boxes) == 0, [], NonMaxSuppression(...))      ->  NonMaxSuppression(...)

    Why: torchvision's detectors select candidates by a threshold, keep the best of each class or level, join them and
    run NMS once. The number of candidates depends on the data. So nothing after the threshold has a static shape,
    NonZero and size arithmetic run on the CPU, and NMS is inside an If.

    How: every step computes all rows, with a mask of the selected ones. TopK then has a fixed length, a Concat joins
    masks too, and a maximum over the rows ignores rows that are not selected. NonMaxSuppression can select only valid
    rows, so a Gather of its indices returns the same values in the same order.

    Limits: one image and one list of scores; the nodes between the masks and NMS do not mix rows; at most 1,048,576
    rows are sorted; scores are float32 and above -1e38. Exact.
    """

    code = "masked-suppression"
    after = ("fold-constants", "canonicalize", "unread-scatter")
    scope = "main graph"

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        """Rewrite the nodes between masks and each NonMaxSuppression; inline its If if that succeeds."""
        if options.nms != "keep" and _has_known_tail(model):
            return []
        rewrites = []
        for guard in empty_guards(model):
            trial = trial_copy(model)
            copy = next(each for each in empty_guards(trial) if each.outputs[0].name == guard.outputs[0].name)
            name = inline_guarded(trial, copy)
            if any(end.name == name for _, region in _regions(trial) for end in region.ends):
                inline_guarded(model, guard)
                rewrites.append(self.applied(guard, "the NMS in it needs no guard against an empty list"))
        while (next_region := next(_regions(model), None)) is not None:
            group, region = next_region
            where = ", ".join(
                f"{end.op_type} '{end.name}'" for end in region.ends if end.op_type == "NonMaxSuppression"
            )
            rewrite_densely(model, group, region)
            masks = "a mask" if len(region.masks) == 1 else f"{len(region.masks)} masks"
            rewrites.append(self.applied(where, f"computes with all rows of {masks}, in {len(region.inner)} nodes"))
        return rewrites


def _regions(model: ir.Model) -> Iterator[tuple[Sequence[MaskSelection], MaskedRegion]]:
    """Yield the selections by masks that lead to a NonMaxSuppression, and the nodes between."""
    if not any(find_nodes(model, "NonMaxSuppression")):
        return
    for group in connected_choices(find_choices(model, _TYPES)):
        unknown = _without_shape(model)
        region = _region(model, group)
        if region is None and _without_shape(model) < unknown:
            # shapes found on the way, such as of a Reshape to a count, allow shape inference of later nodes
            add_inferred_shapes(model)
            region = _region(model, group)
        if region is not None and any(node.op_type == "NonMaxSuppression" for node in region.ends):
            yield group, region


def _region(model: ir.Model, group: Sequence[MaskSelection]) -> MaskedRegion | None:
    try:
        return MaskedRegion(group, list(model.graph), opset_version(model))
    except NeedsGatherError:
        return None


def _without_shape(model: ir.Model) -> int:
    return sum(value.shape is None for node in model.graph for value in node.outputs)


def _has_known_tail(model: ir.Model) -> bool:
    """Whether the NMS passes recognize the graph as it is."""
    try:
        return (find_box_nms(model) or find_rotated_nms(model)) is not None
    except UnknownNmsPatternError:
        return False
