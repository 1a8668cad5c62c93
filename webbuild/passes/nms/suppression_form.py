"""The form of NMS in the graph for WebGPU (shader, graph, CPU or as exported), and the reason for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec
import onnx_ir as ir
from msgspec import Struct

from webbuild.manifest.suppression import SUPPRESSION_KEY, Suppression
from webbuild.passes.base import NmsPlacement, Rewrite
from webbuild.passes.nms.nms_pass import NMS_REWRITTEN_KEY
from webbuild.passes.nms.runtime_nms import RuntimeNms

SHADER_KERNELS, GRAPH_KERNELS = 3, 90
"""Kernels of NMS in a run, in the runtime's shader and in the graph, counted in Chromium for the shipped pose model. By
these numbers the shader is used wherever it is supported. In the shader, rotated boxes or several labels per box take
one more."""

_DATA_DEPENDENT_OPS = ("NonMaxSuppression", "NonZero")
"""Operators without a GPU kernel whose output size depends on the data."""


class SuppressionForm(Struct, frozen=True, rename="camel"):
    """The form of NMS, its description and the reason."""

    form: Literal["shader", "graph", "cpu", "exported"]
    where: str
    reason: str


def suppression_form(
    model: ir.Model, rewrites: Sequence[Rewrite], requested: NmsPlacement, measured: str = ""
) -> SuppressionForm | None:
    """Return the form of NMS in a graph for WebGPU after `rewrites`; None if it has no NMS.

    `measured` is the reason if the forms were measured.
    """
    if SUPPRESSION_KEY in model.metadata_props:
        spec = msgspec.json.decode(model.metadata_props[SUPPRESSION_KEY], type=Suppression)
        kernels = SHADER_KERNELS + 1 if spec.rotated or spec.multi_label else SHADER_KERNELS
        rule = f"by rule: {kernels} kernels in place of about {GRAPH_KERNELS}, exact for any number of boxes"
        return SuppressionForm("shader", "in a compute shader of the runtime", measured or rule)
    refusals = [each.reason for each in rewrites if each.code == RuntimeNms.code and not each.applied]
    why = measured or (refusals[0] if requested == "shader" and refusals else f"--nms {requested}")
    if NMS_REWRITTEN_KEY in model.metadata_props and requested in ("shader", "gpu"):
        return SuppressionForm("graph", "in the graph, with fixed shapes", why)
    if not any(node.op_type in _DATA_DEPENDENT_OPS for node in model.graph):
        return None
    if requested == "cpu":
        return SuppressionForm("cpu", "on the CPU", f"{why}: its inputs are copied from the GPU in every run")
    if requested == "keep":
        reason = f"{why}: it may throw on WebGPU, mostly if nothing is detected"
        return SuppressionForm("exported", "as exported", reason)
    return None
