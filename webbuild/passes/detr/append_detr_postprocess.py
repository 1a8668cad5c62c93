from __future__ import annotations

import onnx_ir as ir

from webbuild.passes.analysis.shape_inference import infer_shapes
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.detr.detection_rows import build_detr_rows, detr_rows_blocker
from webbuild.passes.nms.append_nms import NMS_APPENDED_KEY, replace_outputs_with_rows
from webbuild.passes.nms.promote_thresholds import add_threshold_input
from webbuild.postprocess.detr import DetrPostprocess
from webbuild.postprocess.output_names import DETECTIONS


class AppendDetrPostprocess(Pass):
    """`logits [1, Q, C]`, `boxes [1, Q, 4]` -> `detections [1, rows, 6]`: the post-processing of DETR-like detectors.

        logits [1, Q, C], boxes [1, Q, 4]               ->  detections [1, R, 6]
        labels [1, R], boxes [1, R, 4], scores [1, R]   ->  detections [1, R, 6]
        rows [1, R, 6] or table [1, R, 4 + C]           ->  detections [1, R, 6]

    Why: such a detector returns hundreds of boxes for every image, in pixels of a size that is an input. Most boxes
    are background, which only their low score shows.

    How: one output, `detections` [1, rows, 6], replaces the others: x1 y1 x2 y2 in pixels of the input, score, class.

    - Rows are sorted by descending score. Rows at or below the confidence threshold are zero. The threshold becomes
      an input.
    - Boxes in pixels of `orig_target_sizes` are scaled back to pixels of the input.
    - Logits go through a sigmoid, and a TopK over all queries and classes follows; or through a softmax, without the
      last class, "no object". Both are transformers' post-processing.
    - There is no NMS: these models are trained to find each object once.

    Limits: batch size 1, float32, opset 11. Accurate to 1e-6 of the largest magnitude.

    Source: `post_process_object_detection` of transformers' `RTDetrImageProcessor` (sigmoid, best of Q * C) and
    `DetrImageProcessor` (softmax without the last class). The reference in NumPy is
    `webbuild/postprocess/reference_detr.py`.
    """

    code = "append-detr-postprocess"
    after = ("fold-constants", "fix-dynamic-dims", "float16-io")
    scope = "main graph"
    tolerance = 1e-6

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        spec = options.missing_postprocess
        if not isinstance(spec, DetrPostprocess) or NMS_APPENDED_KEY in model.metadata_props:
            return []
        where = f"output '{spec.output}'"
        if (reason := detr_rows_blocker(model, spec)) is not None:
            return [self.skipped(where, reason)]
        add = Builder(model.graph, None, "detections")
        rows = build_detr_rows(add, model, spec, add_threshold_input(model, "confidence", spec.confidence))
        shape = [1, spec.rows, 6]
        outputs = {value.name: value for value in model.graph.outputs}
        replaced = [outputs[name] for name in spec.replaced_outputs]
        replace_outputs_with_rows(model, replaced, add.reshape(rows, shape), shape)
        model.metadata_props[NMS_APPENDED_KEY] = spec.layout
        infer_shapes(model)
        taken = ", ".join(f"'{name}'" for name in spec.replaced_outputs)
        return [self.applied(where, f"'{DETECTIONS}' {shape} takes the place of {taken}")]
