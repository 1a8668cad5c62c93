"""How small the graphs of a stage became, for the report of `webbuild pack`."""

from __future__ import annotations

from msgspec import Struct

from webbuild.passes.base import NmsPlacement
from webbuild.passes.lower import LoweredGraphs
from webbuild.passes.nms.suppression_form import SuppressionForm, suppression_form
from webbuild.precision.report import PrecisionReport, precision
from webbuild.quantization.report import WeightQuantizationReport


class StageReport(Struct, frozen=True, rename="camel"):
    """The precision of a stage's graphs and weights. Without a name it is the only one.

    Attributes:
        name: of the stage.
        precision: in a sentence or two.
        fp16_backend: what computed its graph in half precision for the proof, and why that.
        kept_floats: why its weights stayed floats, empty where they did not, or nothing else was asked for.
        weight_quantization: None where they are stored as floats.
        precision_search: None where half precision was not asked for.
        suppression: where boxes are suppressed on WebGPU, and why; None where none are.
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
        """Put the precision of a stage into words."""
        precision_report = precision(lowered.graphs["webgpu"], precision_search)
        suppression = suppression_form(lowered.graphs["webgpu"], lowered.rewrites["webgpu"], nms, measured)
        return cls(
            name, precision_report, fp16_backend, kept_floats, weight_quantization, precision_search, suppression
        )
