"""Precision and size of a stage's graphs, for the report of `webbuild pack`."""

from __future__ import annotations

from msgspec import Struct

from webbuild.passes.base import NmsPlacement
from webbuild.passes.lower import LoweredGraphs
from webbuild.passes.nms.suppression_form import SuppressionForm, suppression_form
from webbuild.precision.report import PrecisionReport, precision
from webbuild.quantization.report import WeightQuantizationReport


class StageReport(Struct, frozen=True, rename="camel"):
    """The precision of a stage's graphs and weights.

    Attributes:
        name: the stage's name; empty for a single stage.
        precision: the precision in a sentence or two.
        fp16_backend: the backend that computed the float16 graph for the proof, and why.
        kept_floats: why its weights stayed floats; empty if they did not, or nothing else was requested.
        weight_quantization: None if the weights are stored as floats.
        precision_search: None if half precision was not requested.
        suppression: where NMS runs on WebGPU, and why; None without NMS.
    """

    name: str
    precision: str
    fp16_backend: str = ""
    kept_floats: str = ""
    weight_quantization: WeightQuantizationReport | None = None
    precision_search: PrecisionReport | None = None
    suppression: SuppressionForm | None = None

    @classmethod
    def build(
        cls,
        name: str,
        lowered: LoweredGraphs,
        nms: NmsPlacement,
        *,
        measured: str = "",
        fp16_backend: str = "",
        kept_floats: str = "",
        weight_quantization: WeightQuantizationReport | None = None,
        precision_search: PrecisionReport | None = None,
    ) -> StageReport:
        """Build the report of a stage."""
        precision_report = precision(lowered.graphs["webgpu"], precision_search)
        suppression = suppression_form(lowered.graphs["webgpu"], lowered.rewrites["webgpu"], nms, measured)
        return cls(
            name, precision_report, fp16_backend, kept_floats, weight_quantization, precision_search, suppression
        )
