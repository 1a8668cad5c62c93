"""The report of a search for half precision."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from webbuild.precision.convert import Fp16Graph
from webbuild.precision.report import ConvertedFraction, Fp32Nodes, PrecisionReport, SearchStep

if TYPE_CHECKING:
    import onnx_ir as ir

    from webbuild.manifest.manifest import Precision
    from webbuild.precision.fp16_backends import Fp16Backend
    from webbuild.precision.search import SearchResult

_NO_SHARE = ConvertedFraction(0.0, 0.0, 0.0)


def build_report(
    asked: str, precision: Precision, reason: str, model: ir.Model, found: SearchResult, arithmetic: Fp16Backend
) -> PrecisionReport:
    """Return what a search found; nothing of a graph where `precision` is fp32."""
    half = found.best if precision != "fp32" else None
    after = weight_bytes(half.model) if half is not None else weight_bytes(model)
    return PrecisionReport(
        asked,
        precision,
        reason,
        f"{arithmetic.name}: {arithmetic.reason}",
        model.graph.num_nodes(),
        len(half.fp16_nodes) if half else 0,
        half.casts if half else 0,
        found.fraction if half else _NO_SHARE,
        (weight_bytes(model), after),
        tuple(_fp32_groups(half)) if half else (),
        half.clamped_mask_constants if half else (),
        tuple(SearchStep(each.fraction, _finite(each.tolerance_used), each.mismatch) for each in found.evaluations),
        found.stop_reason,
    )


def _finite(used: dict[str, float]) -> dict[str, float | None]:
    return {name: part if math.isfinite(part) else None for name, part in used.items()}


def _fp32_groups(half: Fp16Graph) -> list[Fp32Nodes]:
    """Return what stayed float32 by reason, the commonest first."""
    operators = {node.name: node.op_type for node in half.model.graph}
    by_reason: dict[str, list[str]] = {}
    for name, reason in half.fp32_reasons.items():
        by_reason.setdefault(reason, []).append(name)
    ordered = sorted(by_reason.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    return [
        Fp32Nodes(reason, dict(sorted(Counter(operators[name] for name in names).items())), tuple(names))
        for reason, names in ordered
    ]


def weight_bytes(model: ir.Model) -> int:
    """Return the bytes of a graph's constants."""
    tensors = (value.const_value for graph in model.graphs() for value in graph.initializers.values())
    return sum(tensor.nbytes for tensor in tensors if tensor is not None and not tensor.dtype.is_string())


def build_fp32_report(asked: str, reason: str, model: ir.Model, arithmetic: str) -> PrecisionReport:
    """Return the report where there was no search to its end, and the graph stays float32."""
    nodes, weights = model.graph.num_nodes(), weight_bytes(model)
    return PrecisionReport(
        asked, "fp32", reason, arithmetic, nodes, 0, 0, _NO_SHARE, (weights, weights), (), (), (), ""
    )
