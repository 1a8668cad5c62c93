"""Coordinates of a Resize on the default entry."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context
from webbuild.inspection.rules._base import Rule

_CROP = "tf_crop_and_resize"


class JsepResize(Rule):
    """The answer is zeros on the default entry's build: Resize with half_pixel_symmetric, or cubic with a crop.

    Mend: another coordinate transformation; or the `onnxruntime-web/webgpu` entry, which is right.
    Source: measured on 1.30.0.
    """

    code = "jsep-resize"
    operators = ("Resize",)
    outcome = "wrong"

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        how = node.attributes.get_string("coordinate_transformation_mode", "half_pixel")
        cubic = node.attributes.get_string("mode", "nearest") == "cubic"
        if not context.jsep or not context.on_gpu(node):
            return None
        if how != "half_pixel_symmetric" and not (cubic and how == _CROP):
            return None
        return self.finding(node, "wrong answer", f"its coordinates are {how}", "use another transformation")
