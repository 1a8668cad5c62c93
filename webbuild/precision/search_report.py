"""Builds the report of a search for half precision."""

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
    mode: str, precision: Precision, reason: str, model: ir.Model, searched: SearchResult, backend: Fp16Backend
) -> PrecisionReport:
    """Return the report of a search; without details of a graph if `precision` is fp32."""
    fp16_graph = searched.best if precision != "fp32" else None
    after = weight_bytes(fp16_graph.model) if fp16_graph is not None else weight_bytes(model)
    return PrecisionReport(
        requested=mode,
        precision=precision,
        reason=reason,
        fp16_backend=f"{backend.name}: {backend.reason}",
        nodes=model.graph.num_nodes(),
        fp16_nodes=len(fp16_graph.fp16_nodes) if fp16_graph else 0,
        casts=fp16_graph.casts if fp16_graph else 0,
        fraction=searched.fraction if fp16_graph else _NO_SHARE,
        weights=(weight_bytes(model), after),
        fp32_nodes=tuple(_fp32_groups(fp16_graph)) if fp16_graph else (),
        masks=fp16_graph.clamped_mask_constants if fp16_graph else (),
        steps=tuple(
            SearchStep(each.fraction, _finite(each.tolerance_used), each.mismatch) for each in searched.evaluations
        ),
        stop_reason=searched.stop_reason,
    )


def _finite(used: dict[str, float]) -> dict[str, float | None]:
    return {name: part if math.isfinite(part) else None for name, part in used.items()}


def _fp32_groups(fp16_graph: Fp16Graph) -> list[Fp32Nodes]:
    """Group the float32 nodes by reason, the most common first."""
    operators = {node.name: node.op_type for node in fp16_graph.model.graph}
    by_reason: dict[str, list[str]] = {}
    for name, reason in fp16_graph.fp32_reasons.items():
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


def build_fp32_report(mode: str, reason: str, model: ir.Model, backend_name: str) -> PrecisionReport:
    """Return the report of a graph that stays float32 without a finished search."""
    nodes, weights = model.graph.num_nodes(), weight_bytes(model)
    return PrecisionReport(
        requested=mode,
        precision="fp32",
        reason=reason,
        fp16_backend=backend_name,
        nodes=nodes,
        fp16_nodes=0,
        casts=0,
        fraction=_NO_SHARE,
        weights=(weights, weights),
        fp32_nodes=(),
        masks=(),
        steps=(),
        stop_reason="",
    )
