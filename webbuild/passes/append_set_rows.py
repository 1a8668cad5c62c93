"""Rows for a detector that predicts a set of boxes."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes._appended_set import set_rows, unfit
from webbuild.passes._base import Edit, Options, Pass
from webbuild.passes._graph import Builder
from webbuild.passes._shapes import infer
from webbuild.passes.append_head import KEY, put_rows
from webbuild.passes.threshold_inputs import add_threshold
from webbuild.raw_head import DETECTIONS
from webbuild.set_head import SetHead


class AppendSetRows(Pass):
    """Makes rows of the outputs of RT-DETR and its kin: labels, boxes and scores apart, logits, or boxes by centre.

    Why: such a detector gives hundreds of boxes whatever is in the picture, in pixels of a size that it is told, and
    of most of them only a low score says that they are nothing.

    How: the outputs become one, `detections` [1, rows, 6]: x1 y1 x2 y2 in pixels of the input, score, class; rows of
    falling score, those at or below the confidence threshold zero. The threshold becomes an input. Boxes in pixels of
    `orig_target_sizes` are scaled back by it. Logits go through a sigmoid and the best of all queries and classes are
    taken, or through a softmax whose last class is nothing: as transformers' post-processing does it. Nothing is
    suppressed, for these models were trained to find each object once.
    """

    code = "append-set-rows"
    after = ("fold-constants", "freeze-dimensions")

    def apply(self, model: ir.Model, options: Options) -> list[Edit]:
        """Append the rows that the options describe, once."""
        raw = options.raw
        if not isinstance(raw, SetHead) or KEY in model.metadata_props:
            return []
        where = f"output '{raw.output}'"
        if (why := unfit(model, raw)) is not None:
            return [self.left(where, why)]
        add = Builder(model.graph, None, "detections")
        found = set_rows(add, model, raw, add_threshold(model, "confidence", raw.confidence))
        shape = [1, raw.rows, 6]
        outputs = {value.name: value for value in model.graph.outputs}
        replaced = [outputs[name] for name in raw.replaced]
        put_rows(model, replaced, add.op("Reshape", found, add.const(shape, np.int64)), shape)
        model.metadata_props[KEY] = raw.layout
        infer(model)
        taken = ", ".join(f"'{name}'" for name in raw.replaced)
        return [self.done(where, f"'{DETECTIONS}' {shape} takes the place of {taken}")]
