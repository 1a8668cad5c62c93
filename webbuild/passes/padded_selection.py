"""Any NonMaxSuppression kept, with fixed shapes behind it, for the CPU."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes._base import Edit, Options
from webbuild.passes._graph import Builder
from webbuild.passes._selected import finish
from webbuild.passes._selection import Selection
from webbuild.passes._tail_pass import TailPass


class PaddedSelection(TailPass[Selection]):
    """Keeps NonMaxSuppression and fills up what it selects to a fixed number of boxes.

    The boxes are those that the operator selects, in its order. Every output that had one row for each has rows
    of zeros behind them, as many as `fixed-shape-selection` gives; more boxes than that are cut off.
    """

    code = "padded-selection"
    after = ("threshold-inputs", "fixed-shape-nms")
    target = "wasm"
    form = Selection

    def rewrite(self, model: ir.Model, tail: Selection, options: Options) -> list[Edit]:
        """Pad the selected boxes."""
        _, rows = tail.sizes(options.candidates)
        chosen = tail.nms.outputs[0]
        after = list(model.graph)
        place = after.index(tail.nms) + 1
        add = Builder(model.graph, after[place] if place < len(after) else None, "selection")
        padded = add.op("Concat", chosen, add.const(np.zeros((rows, 3)), np.int64), axis=0)
        zero, one = add.const([0], np.int64), add.const([1], np.int64)
        most = add.const([rows], np.int64)
        first = add.op("Slice", padded, zero, most, zero)
        selected = add.op("Reshape", first, add.const([rows, 3], np.int64))
        count = add.op("Min", add.op("Slice", add.op("Shape", chosen), zero, one, zero), most)
        real = add.op("Less", add.const(np.arange(rows), np.int64), count)
        finish(model, tail, selected, real, count, rows)
        return [self.done(tail.where, f"what it selects is filled up to {rows} boxes")]
