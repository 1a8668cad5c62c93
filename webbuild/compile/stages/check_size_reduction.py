"""Checks that quantization or half precision made at least one stage smaller."""

from __future__ import annotations

from collections.abc import Sequence

from webbuild.compile.prove import ProvenGraphs
from webbuild.compile.reduction_options import PrecisionMode
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import Weights


def check_smaller(proven: Sequence[tuple[str, ProvenGraphs]], precision: PrecisionMode, weights: Weights) -> None:
    """Raise if int8 weights or half precision made no stage smaller; `proven` are the stages by name.

    Raises:
        WebbuildError: `weights-not-quantizable`, `fp16-mismatch`.
    """
    if weights == "int8" and all(each.kept_floats for _, each in proven):
        reasons = "; ".join(f"{name}: {each.kept_floats}" for name, each in proven)
        raise WebbuildError("weights-not-quantizable", reasons, "pack it with --weight-dtype fp32")
    searched = [(name, each.reduced.report) for name, each in proven if each.reduced is not None]
    if precision not in ("fp32", "auto") and all(report.precision == "fp32" for _, report in searched):
        reasons = "; ".join(f"{name}: {report.reason}" for name, report in searched)
        fix = "pack it with --precision fp32; or with mixed, which keeps some nodes in float32"
        raise WebbuildError("fp16-mismatch", reasons, fix)
