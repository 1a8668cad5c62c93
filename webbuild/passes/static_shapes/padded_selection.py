from __future__ import annotations

import onnx_ir as ir

from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.nms.selected_rows import choose_fixed_rows, in_trial_copy, undecided_rows
from webbuild.passes.rewrite import consumers
from webbuild.passes.static_shapes.masked_suppression import MaskedSuppression


class PaddedSelection(Pass):
    """Gives the second stage of a detector a fixed number of rows and a validity mask.

        i [n <= R] = NonMaxSuppression(...)[:R, 2]          ->  i [R], real [R]
        RoiAlign(map, boxes[i][level == 2]) [m, C, h, w]    ->  RoiAlign(map, boxes[i]) [R, C, h, w]
        ScatterElements(y, NonZero(level == 2), RoiAlign)   ->  Where(level == 2, RoiAlign, y)
        NonMaxSuppression(f(boxes[i])[scores > 0.05])       ->  NonMaxSuppression(f(boxes[i]), Where(real, scores, low))

    Why: an R-CNN computes with the boxes that a first suppression selects, level by level, and suppresses once more.
    The number of boxes depends on the picture, so nothing after it has a fixed shape. Sizes and masks run on the CPU,
    and the kernels of operators without rows are wrong.

    How: the indices are padded to R, and those past the last read the first box again. A mask says which are real. The
    nodes after it follow the rules of `masked-suppression`, and so do the masks of levels and thresholds.

    Limits: one picture and one list of boxes in the first suppression; everything up to the second is computed row by
    row. Each row is aligned on every level, which costs more than on its own level alone. Exact.
    """

    code = "padded-selection"
    after = ("masked-suppression",)
    scope = "main graph"

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        """Fill up each selection after which everything has a fixed shape then."""
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
            rewrites.append(self.applied(nms, f"what follows computes with {rows.most} rows, those selected masked"))
        return rewrites
