"""Estimate of a float32 model's requirements in float16."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.inspection.context import InspectionContext
from webbuild.inspection.kernels import STANDARD_DOMAINS
from webbuild.passes.rewrite import constant_tensor

_LARGEST = float(np.finfo(np.float16).max)
_SCALARS = 16
"""Maximum elements of a constant that counts as a parameter, such as an epsilon, which must not become 0."""


class Fp16Estimate(Struct, frozen=True, rename="camel"):
    """What float16 would change, on devices with `shader-f16`.

    `weight_bytes` are the bytes of float32 weights; float16 halves them. `overflowing_constants` are constants with a
    finite number beyond 65504. `underflowing_constants` are constants of at most 16 elements with a number that float16
    rounds to 0. `float32_only` counts the float32 GPU nodes without a float16 kernel, by operator.
    """

    weight_bytes: int
    overflowing_constants: tuple[str, ...]
    underflowing_constants: tuple[str, ...]
    float32_only: dict[str, int]


def estimate_fp16(context: InspectionContext) -> Fp16Estimate | None:
    """Return the estimate, None for a model without float32 nodes on the GPU."""
    nodes = [each.node for each in context.nodes if context.on_gpu(each.node)]
    nodes = [node for node in nodes if context.placements[node].kernel.dtype == "float"]
    if not nodes:
        return None
    constants = list(_constants(context))
    float32_ops = Counter(
        node.op_type
        for node in nodes
        if context.table.placement(
            node.op_type,
            context.schema_version(node),
            "float16",
            "" if node.domain in STANDARD_DOMAINS else node.domain,
        )
        != "gpu"
    )
    return Fp16Estimate(
        sum(array.nbytes for _, array in constants),
        tuple(name for name, array in constants if _overflows(array)),
        tuple(name for name, array in constants if array.size <= _SCALARS and _vanishes(array)),
        dict(sorted(float32_ops.items())),
    )


def _constants(context: InspectionContext) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """Yield every float32 constant that a node reads, once, with its name."""
    read = dict.fromkeys(value for each in context.nodes for value in each.node.inputs if value is not None)
    for value in read:
        tensor = constant_tensor(value)
        if tensor is not None and tensor.dtype is not None and tensor.dtype.name == "FLOAT":
            yield value.name or "", np.asarray(tensor.numpy(), np.float32)


def _overflows(array: NDArray[np.float32]) -> bool:
    """Whether a finite element exceeds float16's range, without copying large weights."""
    ends = [array.min(initial=0.0), array.max(initial=0.0)]
    if not np.isfinite(ends).all():
        finite = array[np.isfinite(array)]
        ends = [finite.min(initial=0.0), finite.max(initial=0.0)]
    return bool(max(-ends[0], ends[1]) > _LARGEST)


def _vanishes(array: NDArray[np.float32]) -> bool:
    with np.errstate(over="ignore"):
        return bool(((array != 0) & (array.astype(np.float16) == 0)).any())
