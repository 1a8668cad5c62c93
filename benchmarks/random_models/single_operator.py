"""A model of one operator, generated from a seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from msgspec import Struct
from numpy.typing import NDArray
from onnx import helper, numpy_helper

Array = NDArray[Any]


class SingleOperator(Struct, frozen=True):
    """An operator with its inputs, None for an omitted one; those in `fixed` are initializers, others are fed."""

    op: str
    inputs: Sequence[Array | None]
    attributes: Mapping[str, Any] = {}
    fixed: Sequence[int] = ()
    outputs: int = 1
    opset: int = 17
    domain: str = ""
    then: str = ""
    """A unary operator after it, since engines fuse."""

    @property
    def what(self) -> str:
        """The operator, its shapes and attributes, on one line."""
        shapes = [None if value is None else f"{value.dtype}{list(value.shape)}" for value in self.inputs]
        told = {key: value for key, value in self.attributes.items() if value not in (None, "")}
        known = {i: value.tolist() for i, value in self._fixed().items() if value.size < 9}
        return f"{self.op}-{self.opset} {shapes} {told} {known or ''} {self.then}".strip()

    def _fixed(self) -> dict[int, Array]:
        return {i: value for i, value in enumerate(self.inputs) if value is not None and i in self.fixed}

    def _element(self) -> int:
        """Return the output type of an operator outside the ONNX standard."""
        first = next(value for value in self.inputs if value is not None)
        return int(helper.np_dtype_to_tensor_dtype(first.dtype))

    def feeds(self) -> dict[str, Array]:
        """Return the feeds by name."""
        return {f"x{i}": v for i, v in enumerate(self.inputs) if v is not None and i not in self.fixed}

    def model(self) -> bytes:
        """Return the model, serialized; its outputs are y0, y1 ..."""
        names = ["" if value is None else f"x{index}" for index, value in enumerate(self.inputs)]
        results = [f"y{index}" for index in range(self.outputs)]
        made = [f"z{index}" for index in range(self.outputs)] if self.then else results
        nodes = [helper.make_node(self.op, names, made, name="node", domain=self.domain, **self.attributes)]
        if self.then:
            nodes += [helper.make_node(self.then, [z], [y], name=y) for z, y in zip(made, results, strict=True)]
        fed = [
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
            for name, value in self.feeds().items()
        ]
        stored = [numpy_helper.from_array(value, f"x{i}") for i, value in self._fixed().items()]
        empty = [helper.make_empty_tensor_value_info(name) for name in results]
        graph = helper.make_graph(nodes, "one", fed, empty, stored)
        opsets = [helper.make_opsetid("", self.opset), helper.make_opsetid("com.microsoft", 1)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=9)
        return _typed(onnx.shape_inference.infer_shapes(model), self._element()).SerializeToString()


def _typed(model: onnx.ModelProto, element: int) -> onnx.ModelProto:
    for output in model.graph.output:
        if not output.type.tensor_type.elem_type:
            output.type.CopyFrom(helper.make_tensor_type_proto(element, None))
    return model


class RandomChoices:
    """A generator of random choices, shapes and values."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)

    def roll(self, low: int, high: int) -> int:
        """Return an integer from `low` to `high`, both included."""
        number: int = self._random.integers(low, high + 1).item()
        return number

    def some(self, *choices: Any) -> Any:
        """Return one of the choices."""
        return choices[self.roll(0, len(choices) - 1)]

    def odds(self, share: float) -> bool:
        """Return True with this probability."""
        return bool(self._random.random() < share)

    def ints(self, count: int, low: int, high: int) -> list[int]:
        """Return `count` integers."""
        return [self.roll(low, high) for _ in range(count)]

    def order(self, count: int) -> list[int]:
        """Return 0..count-1 in random order."""
        return [int(i) for i in self._random.permutation(count)]

    def channels(self) -> int:
        """Return a number of channels: mostly small and odd, sometimes large."""
        large = (3, 6, 9, 12, 15, 33, 48, 64, 65, 96, 129, 192)
        return [self.roll(1, 16), self.roll(1, 40), large[self.roll(0, len(large) - 1)]][self.roll(0, 2)]

    def shape(self, low: int = 1, high: int = 5, size: int = 9) -> list[int]:
        """Return a shape with a rank from `low` to `high` and at most a few thousand elements."""
        shape = self.ints(self.roll(low, high), 1, size)
        if self.odds(0.3):
            shape[-1] = self.some(4, 8, 12, 16, 17, 31, 64, 100)
        while np.prod(shape) > 20000:
            shape[self.roll(0, len(shape) - 1)] = 1
        return shape

    def floats(self, *shape: int, low: float | None = None, high: float = 1.0) -> Array:
        """Return normally distributed values, uniform ones if `low` is given."""
        if low is None:
            return np.asarray(self._random.standard_normal(shape), np.float32)
        return np.asarray(self._random.uniform(low, high, shape), np.float32)

    def whole(self, shape: Sequence[int], low: int, high: int, dtype: Any = np.int64) -> Array:
        """Return integers, both ends included."""
        return np.asarray(self._random.integers(low, high + 1, shape), dtype)

    def values(self, shape: Sequence[int], dtype: Any) -> Array:
        """Return values that suit a type."""
        if dtype == np.float32:
            return self.floats(*shape)
        return (
            self.whole(shape, 0, 1, dtype)
            if dtype == np.bool_
            else self.whole(shape, -9 if dtype in (np.int32, np.int64, np.int8) else 0, 9, dtype)
        )

    def spread(self, shape: Sequence[int]) -> list[int]:
        """Return a shape that broadcasts to another: some leading axes dropped, some others 1."""
        short = [1 if self.odds(0.3) else size for size in shape]
        return short[self.roll(0, len(short)) :] if self.odds(0.4) else short


Maker = Callable[[RandomChoices], SingleOperator]
MAKERS: dict[str, tuple[Maker, int]] = {}
"""Functions that create an operator, by name, with their weights."""


def maker(weight: int = 1) -> Callable[[Maker], Maker]:
    """Register a function that creates a case."""

    def register(function: Maker) -> Maker:
        MAKERS[function.__name__] = function, weight
        return function

    return register


def make(seed: int, only: str = "") -> SingleOperator:
    """Return the case of a seed; `only` is a kind of operators, by the name of its function."""
    import benchmarks.random_models.arithmetic
    import benchmarks.random_models.data_movement
    import benchmarks.random_models.integers
    import benchmarks.random_models.layers
    import benchmarks.random_models.quantized  # noqa: F401

    dice = RandomChoices(seed)
    names = [name for name, (_, weight) in sorted(MAKERS.items()) for _ in range(weight) if only in ("", name)]
    return MAKERS[dice.some(*names)][0](dice)
