"""A graph of one or a few nodes, in float32 and in float16."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np
import onnx
from msgspec import Struct
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

Array = NDArray[Any]
OPSET = 18


class Step(Struct, frozen=True):
    """A node: an operator, the names of its inputs and outputs, its attributes."""

    op: str
    inputs: tuple[str, ...]
    output: str = "y"
    attributes: dict[str, Any] = {}
    others: tuple[str, ...] = ()


class Fp16Case(Struct, frozen=True):
    """A graph with its values; its float32 tensors become float16, except those in `single`.

    `feeds` are the inputs, `constants` the initializers. The output is `y`, or all of `outputs`.
    """

    name: str
    steps: tuple[Step, ...]
    feeds: dict[str, Array]
    constants: dict[str, Array] = {}
    single: frozenset[str] = frozenset()
    outputs: tuple[str, ...] = ("y",)
    opset: int = OPSET

    @property
    def op(self) -> str:
        """The operator of the last node."""
        return self.steps[-1].op

    def model(self, dtype: type[np.floating[Any]]) -> onnx.ModelProto:
        """Return the graph with its floats in a data type."""
        nodes = [
            helper.make_node(step.op, step.inputs, [step.output, *step.others], **_cast(step.attributes, dtype))
            for step in self.steps
        ]
        feeds = self._typed(self.feeds, dtype).items()
        given = [
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
            for name, array in feeds
        ]
        made = [helper.make_value_info(name, onnx.TypeProto()) for name in self.outputs]
        held = [numpy_helper.from_array(value, name) for name, value in self._typed(self.constants, dtype).items()]
        graph = helper.make_graph(nodes, "g", given, made, held)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=8)
        inferred = onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True)
        del model.graph.output[:]
        model.graph.output.extend(inferred.graph.output)
        model.graph.value_info.extend(inferred.graph.value_info)
        return model

    def fed(self, dtype: type[np.floating[Any]]) -> dict[str, Array]:
        """Return the feeds in a data type."""
        return self._typed(self.feeds, dtype)

    def rounded(self) -> Fp16Case:
        """Return the case with values rounded to float16, so that differences come from arithmetic only."""
        halves = {name: _single(value) for name, value in self._typed(self.constants, np.float16).items()}
        return msgspec.structs.replace(self.with_feeds_rounded(), constants=halves)

    def with_feeds_rounded(self) -> Fp16Case:
        """Return the case with feeds rounded to float16."""
        halves = {name: _single(value) for name, value in self._typed(self.feeds, np.float16).items()}
        return msgspec.structs.replace(self, feeds=halves)

    def _typed(self, values: Mapping[str, Array], dtype: type[np.floating[Any]]) -> dict[str, Array]:
        with np.errstate(over="ignore"):
            return {
                name: value.astype(dtype) if value.dtype == np.float32 and name not in self.single else value
                for name, value in values.items()
            }


def _single(value: Array) -> Array:
    return value.astype(np.float32) if value.dtype == np.float16 else value


def _cast(attributes: Mapping[str, Any], dtype: type[np.floating[Any]]) -> dict[str, Any]:
    """Return attributes in which a Cast to float32 casts to the graph's float type."""
    own = TensorProto.FLOAT16 if dtype is np.float16 else TensorProto.FLOAT
    return {name: own if value == "floats" else value for name, value in attributes.items()}
