from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.analysis.boolean_mask import NeedsGatherError, mask_selection
from webbuild.passes.analysis.masked_rows import MaskedRegion
from webbuild.passes.analysis.shape_inference import infer_shapes
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.nms.selected_rows import (
    SelectedRows,
    choose_fixed_rows,
    chooses_again,
    in_trial_copy,
    undecided_rows,
)
from webbuild.passes.rewrite import consumers, opset_version
from webbuild.passes.static_shapes.dense_rows import rewrite_densely

_MOST_ROWS = 300
"""Largest number of rows to pad to."""


class PaddedDetections(Pass):
    """Pads the final detections to a fixed number of rows before the heads that read them, such as mask heads.

        i [n <= R] = NonMaxSuppression(...)[:R, 2]            ->  i [R], of which the first n are real
        Conv(RoiAlign(map, boxes[i])) [n, C, h, w]            ->  Conv(RoiAlign(map, boxes[i])) [R, C, h, w]
        Gather(masks [n * C, M, M], Range(n) * C + label)     ->  Gather(masks [R * C, M, M], (0 .. R - 1) * C + label)
        output [n, M, M]                                      ->  Gather([R, M, M], 0 .. n - 1)

    Why: a Mask R-CNN computes a mask for each box that its last NMS selects, level by level. The number of boxes
    depends on the image, so nothing after it has a static shape. Sizes and masks run on the CPU, and a convolution of
    no rows is wrong.

    How: the indices are padded to R, and padding reads the first box again. The nodes after it follow the rules of
    `masked-suppression`. As the real rows come first, an output of the graph gathers the first n, and so does a node
    that mixes rows.

    Limits: one image and one list of boxes in NMS, which selects up to 300. All R rows are computed, even if fewer
    boxes are found. Exact.
    """

    code = "padded-detections"
    after = ("canonicalize", "fold-constants", "masked-suppression", "padded-selection")
    target = "webgpu"
    scope = "main graph"

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        """Pad each selection if no later node selects from its rows again."""
        rewrites = []
        for rows in undecided_rows(model):
            nms = rows.nms
            if rows.most > _MOST_ROWS:
                rewrites.append(self.skipped(nms, f"it selects up to {rows.most} boxes, more than {_MOST_ROWS}"))
                continue
            trial, same = in_trial_copy(model, rows)
            try:
                _pad_rows(trial, same)
            except NeedsGatherError as reason:
                rewrites.append(self.skipped(nms, str(reason)))
                continue
            if chooses_again(same.nms.outputs[0], but=("Loop",)):
                rewrites.append(self.skipped(nms, "a later node needs the number of selected boxes"))
                continue
            nodes = _pad_rows(model, rows)
            infer_shapes(model)
            rewrites.append(self.applied(nms, f"{nodes} nodes after it compute with {rows.most} rows"))
        return rewrites


def _pad_rows(model: ir.Model, rows: SelectedRows) -> int:
    """Let the nodes after NMS compute with a fixed number of rows, and return their number."""
    mask = choose_fixed_rows(model, rows)
    choice = mask_selection(next(node for node in consumers(mask) if node.op_type == "Compress"))
    assert choice is not None
    selected = rows.nms.outputs[0]
    add = Builder(model.graph, consumers(selected)[0], f"{rows.nms.name or rows.nms.op_type}/first")
    # selected [n, 3] -> ones [n] -> 0 .. n - 1, without a Shape, which would put its readers on the CPU
    ones = add.op("GatherND", add.const(np.ones((1, 1, rows.boxes)), np.int32), selected)
    places = add.op("CumSum", ones, add.const(0, np.int64), exclusive=1)
    for value in (ones, places):
        value.type, value.shape = ir.TensorType(ir.DataType.INT32), ir.Shape([None])
    region = MaskedRegion([choice], list(model.graph), opset_version(model), {mask: places})
    rewrite_densely(model, [choice], region)
    return len(region.inner)
