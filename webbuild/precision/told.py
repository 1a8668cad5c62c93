"""What is told of a search for half precision: in the bundle's report."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from webbuild.bundle.precision import Kept, Part, Searched, Tried
from webbuild.precision.convert import Halved

if TYPE_CHECKING:
    import onnx_ir as ir

    from webbuild.manifest import Precision
    from webbuild.precision.arithmetic import Arithmetic
    from webbuild.precision.search import Found

_NONE = Part(0.0, 0.0, 0.0)


def told(asked: str, precision: Precision, why: str, model: ir.Model, found: Found, arithmetic: Arithmetic) -> Searched:
    """Return what a search found; nothing of a graph where `precision` is fp32."""
    half = found.halved if precision != "fp32" else None
    after = weights_of(half.model) if half is not None else weights_of(model)
    return Searched(
        asked,
        precision,
        why,
        f"{arithmetic.name}: {arithmetic.why}",
        model.graph.num_nodes(),
        len(half.halved) if half else 0,
        half.casts if half else 0,
        found.share if half else _NONE,
        (weights_of(model), after),
        tuple(_kept(half)) if half else (),
        half.masks if half else (),
        tuple(Tried(each.share, _finite(each.used), each.why) for each in found.evaluations),
        found.ended,
    )


def _finite(used: dict[str, float]) -> dict[str, float | None]:
    return {name: part if math.isfinite(part) else None for name, part in used.items()}


def _kept(half: Halved) -> list[Kept]:
    """Return what stayed float32 by reason, the commonest first."""
    operators = {node.name: node.op_type for node in half.model.graph}
    by_reason: dict[str, list[str]] = {}
    for name, why in half.kept.items():
        by_reason.setdefault(why, []).append(name)
    ordered = sorted(by_reason.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    return [
        Kept(why, dict(sorted(Counter(operators[name] for name in names).items())), tuple(names))
        for why, names in ordered
    ]


def weights_of(model: ir.Model) -> int:
    """Return the bytes of a graph's constants."""
    tensors = (value.const_value for graph in model.graphs() for value in graph.initializers.values())
    return sum(tensor.nbytes for tensor in tensors if tensor is not None and not tensor.dtype.is_string())


def unsearched(asked: str, why: str, model: ir.Model, arithmetic: str) -> Searched:
    """Return what is told where there was no search to its end, and the graph stays float32."""
    nodes, weights = model.graph.num_nodes(), weights_of(model)
    return Searched(asked, "fp32", why, arithmetic, nodes, 0, 0, _NONE, (weights, weights), (), (), (), "")
