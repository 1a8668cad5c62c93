"""Single operators of vision models, with values of usual magnitudes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.fp16.case import Array, Fp16Case, Step

_DRAWN = np.random.default_rng(7)
ONES = "one input"


def operators() -> list[Fp16Case]:
    """Return the cases, with values that float16 can represent."""
    made = (*_products(), *_norms(), *_sums(), *_one_by_one(), *_places(), *_choices())
    return [case.rounded() for case in made]


def drawn(*shape: int, scale: float = 1.0) -> NDArray[np.float32]:
    """Return normally distributed numbers, the same in every run."""
    return (_DRAWN.standard_normal(shape) * scale).astype(np.float32)


def _one(
    op: str, *inputs: Array, held: int = 0, name: str = "", attributes: dict[str, Any] | None = None, **others: Any
) -> Fp16Case:
    """Return a node whose last `held` inputs are constants. An empty array is an omitted input."""
    names = [f"x{index}" if value.size else "" for index, value in enumerate(inputs)]
    while names and not names[-1]:
        names.pop()
    given = {key: value for key, value in zip(names, inputs, strict=False) if key}
    fed = list(given)[: len(given) - held] if held else list(given)
    return Fp16Case(
        name or op,
        (Step(op, tuple(names), attributes=attributes or {}),),
        {key: given[key] for key in fed},
        {key: given[key] for key in given if key not in fed},
        **others,
    )


def _products() -> Iterator[Fp16Case]:
    x = drawn(1, 16, 14, 14)
    conv = {"pads": [1, 1, 1, 1]}
    yield _one("Conv", x, drawn(24, 16, 3, 3, scale=0.1), drawn(24), held=2, attributes=conv)
    yield _one("Conv", x, drawn(32, 16, 1, 1, scale=0.2), held=1, name="Conv, 1x1")
    yield _one(
        "Conv", x, drawn(16, 1, 3, 3, scale=0.3), held=1, name="Conv, depthwise", attributes={**conv, "group": 16}
    )
    yield _one("Conv", x, drawn(32, 4, 3, 3, scale=0.2), held=1, name="Conv, grouped", attributes={**conv, "group": 4})
    yield _one("Conv", drawn(1, 256, 8, 8), drawn(16, 256, 3, 3, scale=0.02), held=1, name="Conv, 2304 products")
    yield _one(
        "ConvTranspose", x, drawn(16, 8, 4, 4, scale=0.1), held=1, attributes={"strides": [2, 2], "pads": [1, 1, 1, 1]}
    )
    yield _one("ConvTranspose", x, drawn(16, 8, 2, 2, scale=0.1), held=1, name="ConvTranspose, 2x2",
               attributes={"strides": [2, 2]})  # fmt: skip
    yield _one("MatMul", drawn(1, 49, 64), drawn(64, 96, scale=0.1), held=1)
    yield _one("MatMul", drawn(4, 33, 16), drawn(4, 16, 33), name="MatMul of two inputs")
    yield _one("MatMul", drawn(1, 8, 4096), drawn(4096, 16, scale=0.02), held=1, name="MatMul, 4096 products")
    yield _one("Gemm", drawn(5, 64), drawn(10, 64, scale=0.1), drawn(10), held=2, attributes={"transB": 1})
    yield _one("Einsum", drawn(2, 8, 16), drawn(2, 16, 12), attributes={"equation": "bij,bjk->bik"})


def _norms() -> Iterator[Fp16Case]:
    x = drawn(1, 16, 14, 14)
    yield _one("Softmax", drawn(2, 49, 49, scale=3), attributes={"axis": -1})
    yield _one("LayerNormalization", drawn(1, 49, 96, scale=2), 1 + drawn(96, scale=0.1), drawn(96), held=2)
    yield _one("InstanceNormalization", x, 1 + drawn(16, scale=0.1), drawn(16), held=2)
    yield _one(
        "GroupNormalization", x, 1 + drawn(16, scale=0.1), drawn(16), held=2, attributes={"num_groups": 4}, opset=21
    )
    moments = (1 + drawn(16, scale=0.1), drawn(16), drawn(16), np.abs(drawn(16)) + 0.5)
    yield _one("BatchNormalization", x, *moments, held=4)
    yield _one("LpNormalization", drawn(4, 64), attributes={"axis": -1})


def _sums() -> Iterator[Fp16Case]:
    x = drawn(2, 8, 20, 20) + 0.5
    axes = np.array([2, 3], np.int64)
    for op in ("ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceL2"):
        yield _one(op, x, axes, held=1)
    yield _one("GlobalAveragePool", x)
    yield _one("AveragePool", x, attributes={"kernel_shape": [3, 3], "strides": [2, 2]})
    yield _one("MaxPool", x, attributes={"kernel_shape": [3, 3], "strides": [2, 2]})
    yield _one("CumSum", np.abs(drawn(4, 64)), np.array(1, np.int64), held=1)


def _one_by_one() -> Iterator[Fp16Case]:
    x = drawn(1, 8, 16, 16, scale=2)
    for op in ("Sigmoid", "Tanh", "Exp", "Erf", "Relu", "HardSigmoid", "HardSwish", "LeakyRelu", "Elu", "Softplus",
               "Mish", "Sin", "Cos", "Floor", "Neg", "Abs"):  # fmt: skip
        yield _one(op, x)
    yield _one("Gelu", x, opset=20)
    yield _one("Sqrt", np.abs(x))
    yield _one("Log", np.abs(x) + 0.01)
    yield _one("Reciprocal", np.abs(x) + 0.1)
    yield _one("Pow", np.abs(x), np.full((1,), 1.5, np.float32), held=1)
    yield _one("Pow", x, np.full((1,), 2, np.float32), held=1, name="Pow, squares")
    yield _one("Div", x, np.abs(drawn(1, 8, 16, 16)) + 0.3)
    for op in ("Add", "Sub", "Mul", "Max", "Min", "PRelu"):
        yield _one(op, x, drawn(8, 1, 1), held=1)
    yield _one("Clip", x, *(np.array(limit, np.float32) for limit in (-1, 1.5)), held=2)


def _places() -> Iterator[Fp16Case]:
    x = drawn(1, 8, 12, 12)
    none, scales = np.zeros(0, np.float32), np.array([1, 1, 2, 2], np.float32)
    for mode in ("nearest", "linear"):
        attributes = {
            "mode": mode,
            "coordinate_transformation_mode": "asymmetric" if mode == "nearest" else "half_pixel",
        }
        yield _one("Resize", x, none, scales, held=1, name=f"Resize, {mode}", attributes=attributes,
                   single=frozenset({"x2"}))  # fmt: skip
    grid = np.clip(drawn(1, 10, 10, 2, scale=0.6), -1, 1)
    yield _one("GridSample", x, grid, opset=16, attributes={"mode": "bilinear"})
    yield _one("Concat", x, drawn(1, 4, 12, 12), attributes={"axis": 1})
    yield _one("Transpose", x, attributes={"perm": [0, 2, 3, 1]})
    yield _one("Slice", x, *(np.array([at], np.int64) for at in (1, 7, 1)), held=3)
    yield _one("Pad", x, np.array([0, 0, 1, 1, 0, 0, 1, 1], np.int64), held=1)
    yield _one("DepthToSpace", x, attributes={"blocksize": 2})
    yield _one("Expand", drawn(1, 8, 1, 1), np.array([1, 8, 4, 4], np.int64), held=1)
    yield _one("Gather", x, np.array([3, 0, 5], np.int64), held=1, attributes={"axis": 1})
    index = np.array([[0, 1], [0, 4]], np.int64)
    yield _one("ScatterND", drawn(1, 8, 6), index, drawn(2, 6), name="ScatterND")
    twice = np.array([[0, 1], [0, 1]], np.int64)
    yield _one("ScatterND", drawn(1, 8, 6), twice, drawn(2, 6), name="ScatterND, adding",
               attributes={"reduction": "add"})  # fmt: skip


def _choices() -> Iterator[Fp16Case]:
    x = drawn(4, 100)
    yield _one("ArgMax", x, attributes={"axis": 1})
    yield _one("Where", x > 0, x, drawn(4, 100))
    yield _one("Greater", x, drawn(4, 100))
    steps = (Step("TopK", ("x", "k"), "y", {"axis": 1}, ("i",)),)
    yield Fp16Case("TopK", steps, {"x": x}, {"k": np.array([7], np.int64)}, outputs=("y", "i"))
    yield _one("Cast", x, attributes={"to": 6}, name="Cast to int32")
