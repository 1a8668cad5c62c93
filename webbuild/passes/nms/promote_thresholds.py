from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.base import PassOptions, Rewrite
from webbuild.passes.graphs import graph_names
from webbuild.passes.nms.generic_pattern import GenericNmsPattern
from webbuild.passes.nms.nms_pass import NmsPass
from webbuild.passes.nms.pattern import NmsPattern
from webbuild.passes.rewrite import constant

OPTION_KEY_PREFIX = "webbuild.option."
"""Prefix of the metadata keys of the new inputs' defaults."""


class PromoteThresholds(NmsPass[NmsPattern | GenericNmsPattern]):
    """Turns the confidence and IoU thresholds of a detector into inputs of the graph.

        NonMaxSuppression(boxes, scores, max, iou=0.45)  ->  NonMaxSuppression(boxes, scores, max, input 'iou' [1])
        Greater(score, confidence=0.25)                  ->  Greater(score, input 'confidence' [1])

    Why: an export stores both thresholds as constants, so a page could not have sliders for them.

    How: they become float32 inputs of shape [1] named `confidence` and `iou`. The exported values are stored as
    defaults in the model's metadata, and the runtime fills them in. They cannot be inputs with an initializer as
    default, as onnxruntime-web rejects a feed for an initializer.

    Limits: a threshold that is computed or has several elements does not become an input. Exact with the defaults.
    """

    code = "promote-thresholds"
    after = ("fold-constants", "append-nms", "append-detr-postprocess")
    pattern = (NmsPattern, GenericNmsPattern)

    def is_already_rewritten(self, model: ir.Model) -> bool:
        """Whether the defaults of the inputs are in the metadata, or NMS has its final form."""
        return super().is_already_rewritten(model) or any(
            key.startswith(OPTION_KEY_PREFIX) for key in model.metadata_props
        )

    def rewrite(self, model: ir.Model, tail: NmsPattern | GenericNmsPattern, options: PassOptions) -> list[Rewrite]:
        rewrites = []
        for option, (node, index) in tail.thresholds.items():
            default = constant(node.inputs[index])
            if default is None or default.size != 1:
                continue
            value = add_threshold_input(model, option, default.item())
            node.replace_input_with(index, value)
            reason = f"{option} {default.item():.6g} is now input '{value.name}'"
            rewrites.append(self.applied(node.name or node.op_type, reason))
        return rewrites


def add_threshold_input(model: ir.Model, option: str, default: float) -> ir.Value:
    """Add a float32 input [1] for an option, and return it."""
    name = option if option not in graph_names(model.graph) else f"webbuild_{option}"
    value = ir.val(name, ir.DataType.FLOAT, [1])
    model.graph.inputs.append(value)
    model.metadata_props[f"{OPTION_KEY_PREFIX}{option}"] = f"{name}={np.float32(default)!s}"
    return value
