"""The tolerance between arithmetics for each operator, and its reason."""

from __future__ import annotations

from math import prod, sqrt

from benchmarks.fp16.case import Fp16Case

ROUNDING = 2.0**-11
"""Half the relative distance of neighbouring float16 numbers."""
DEFAULT_TOLERANCE = 4 * ROUNDING
"""Two roundings on each side: a kernel computes one or two steps in float16, and rounds the result."""
DATA_MOVEMENT_OPS = frozenset({
    "Abs", "ArgMax", "Cast", "Clip", "Concat", "DepthToSpace", "Expand", "Floor", "Gather", "Greater", "Max", "MaxPool",
    "Min", "Neg", "Pad", "ReduceMax", "ReduceMin", "Relu", "Slice", "TopK", "Transpose", "Where",
})  # fmt: skip
"""Operators that do not round."""


KNOWN_DIFFERENCES = {
    "Erf": "the kernel computes a polynomial of five terms and an exponential in float16, step by step",
    "ScatterND, adding": "the kernels have no sum of float16 in memory and throw; the rule `fp16-scatter` keeps it in "
    "float32",
}
"""Cases with larger differences between arithmetics, and their reasons."""


def tolerance(case: Fp16Case) -> float:
    """Return the tolerance between two arithmetics on a case, relative to the largest magnitude.

    Sums of `n` terms: a GPU's kernels add in float16, and the roundings of `n` additions add up like a random walk.
    """
    if case.op in DATA_MOVEMENT_OPS or (case.op == "Resize" and "nearest" in case.name):
        return 0.0
    return (
        DEFAULT_TOLERANCE + ROUNDING * sqrt(accumulation_length(case))
        if accumulation_length(case) > 1
        else DEFAULT_TOLERANCE
    )


def accumulation_length(case: Fp16Case) -> int:
    """Return how many terms are summed for one element of an operator's output, 1 without a sum."""
    if len(case.steps) > 1:
        return 1
    sizes = {name: value.shape for name, value in (*case.feeds.items(), *case.constants.items())}
    step = case.steps[-1]
    given: list[tuple[int, ...]] = [sizes.get(name, ()) for name in step.inputs]
    if step.op == "Conv":
        return prod(given[1][1:])
    if step.op == "ConvTranspose":
        strides: list[int] = step.attributes.get("strides", [1, 1])
        return given[1][0] * max(1, prod(given[1][2:]) // prod(strides))
    if step.op in ("MatMul", "Gemm", "Einsum", "Softmax", "LayerNormalization", "LpNormalization", "CumSum"):
        return given[0][-1]
    if step.op in ("ReduceMean", "ReduceSum", "ReduceL2", "InstanceNormalization", "GlobalAveragePool"):
        return prod(given[0][2:])
    if step.op == "GroupNormalization":
        return prod(given[0][1:]) // int(step.attributes["num_groups"])
    return int(prod(step.attributes["kernel_shape"])) if step.op == "AveragePool" else 1
