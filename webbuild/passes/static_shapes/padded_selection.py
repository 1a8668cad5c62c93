from __future__ import annotations

import onnx_ir as ir

from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.nms.selected_rows import choose_fixed_rows, in_trial_copy, undecided_rows
from webbuild.passes.rewrite import consumers
from webbuild.passes.static_shapes.masked_suppression import MaskedSuppression


class PaddedSelection(Pass):
    """Pads the boxes of a two-stage detector to a fixed number of rows, with a mask, before the second stage.

        i [n <= R] = NonMaxSuppression(...)[:R, 2]          ->  i [R], real [R]
        RoiAlign(map, boxes[i][level == 2]) [m, C, h, w]    ->  RoiAlign(map, boxes[i]) [R, C, h, w]
        ScatterElements(y, NonZero(level == 2), RoiAlign)   ->  Where(level == 2, RoiAlign, y)
        NonMaxSuppression(f(boxes[i])[scores > 0.05])       ->  NonMaxSuppression(f(boxes[i]), Where(real, scores, low))

    Why: an R-CNN computes with the boxes that a first NMS selects, level by level, and runs NMS again. The number of
    boxes depends on the image, so nothing after it has a static shape. Sizes and masks run on the CPU, and some GPU
    kernels are wrong without rows.

    How: the indices are padded to R, and padding reads the first box again. A mask marks the real rows. The nodes after
    it follow the rules of `masked-suppression`, and so do the masks of levels and thresholds.

    Limits: one image and one list of boxes in the first NMS; the nodes up to the second do not mix rows. RoiAlign runs
    for each row on every level, which costs more than on its own level alone. Exact.
    """

    code = "padded-selection"
    after = ("masked-suppression",)
    scope = "main graph"

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        """Pad each selection if everything after it then has a static shape."""
        rewrites = []
        for rows in undecided_rows(model):
            nms = rows.nms
            trial, same = in_trial_copy(model, rows)
            mask = choose_fixed_rows(trial, same)
            MaskedSuppression(options).apply(trial, options)
            if any(node.op_type == "Compress" for node in consumers(mask)):
                rewrites.append(self.skipped(nms, "a later node needs the number of selected boxes"))
                continue
            choose_fixed_rows(model, rows)
            MaskedSuppression(options).apply(model, options)
            rewrites.append(
                self.applied(nms, f"the nodes after it compute with {rows.most} rows and a mask of the selected ones")
            )
        return rewrites
