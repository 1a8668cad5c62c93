"""A model of one node with its inputs: what is measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from webbuild.targets.schema import find_schema
from webbuild.targets.table import CaseInput

IR_VERSION = 10
NAME = "n"
"""Of the node that is measured."""
Array = NDArray[Any]


@dataclass(frozen=True)
class Initializer:
    """An input whose value is part of the model."""

    value: Array


@dataclass(frozen=True)
class Probe:
    """What is measured.

    `name` is unique; `dtype` is the element type that the kernel hangs on; `slack` widens the tolerance of `judge`;
    `run` is false where only the placement is asked for. `exact`, of a probe of float16, is the same in float32: it
    gives the answers that are compared with, and its inputs are numbers that float16 has.
    """

    name: str
    op: str
    opset: int
    dtype: str
    model: bytes
    feeds: dict[str, Array]
    inputs: tuple[CaseInput | None, ...] = ()
    attributes: dict[str, Any] | None = None
    slack: float = 1.0
    run: bool = True
    exact: Probe | None = None


def int64s(*values: int) -> Initializer:
    """Return axes, sizes or pads that are part of the model."""
    return Initializer(np.array(values, np.int64))


def scalar(value: float, dtype: type = np.float32) -> Initializer:
    """Return a scalar that is part of the model."""
    return Initializer(np.array(value, dtype))


def make_probe(
    name: str,
    *inputs: Array | Initializer | None,
    op: str = "",
    opset: int = 17,
    domain: str = "",
    outputs: int | Sequence[str] = 1,
    slack: float = 1.0,
    **attributes: Any,
) -> Probe:
    """Build a model of one node. An array is fed, `Initializer` is a part of the model, None is left out.

    Sizes are symbolic, so that no optimization sees them: it is the kernel that is measured. `op` is the name's first
    word, unless it is given. `outputs` are so many, or, where ONNX knows no such operator, their element types.
    """
    op = op or name.split(" ")[0]
    names = ["" if value is None else f"x{index}" for index, value in enumerate(inputs)]
    feeds = {n: v for n, v in zip(names, inputs, strict=True) if v is not None and not isinstance(v, Initializer)}
    initializers = [
        numpy_helper.from_array(v.value, n) for n, v in zip(names, inputs, strict=True) if isinstance(v, Initializer)
    ]
    results = [f"y{index}" for index in range(outputs if isinstance(outputs, int) else len(outputs))]
    node = helper.make_node(op, names, results, name=NAME, domain=domain, **attributes)
    types = [TensorProto.UNDEFINED] * len(results) if isinstance(outputs, int) else [_code(name) for name in outputs]
    graph = helper.make_graph(
        [node],
        "g",
        [helper.make_tensor_value_info(n, _elements(v), _sizes(n, v)) for n, v in feeds.items()],
        [helper.make_tensor_value_info(n, t, None) for n, t in zip(results, types, strict=True)],
        initializers,
    )
    imports = [helper.make_opsetid("", opset), *([helper.make_opsetid(domain, 1)] if domain else [])]
    model = helper.make_model(graph, opset_imports=imports, ir_version=IR_VERSION)
    return Probe(
        name=name,
        op=f"{domain}:{op}" if domain else op,
        opset=opset,
        dtype=_deciding_dtype(op, opset, domain, inputs),
        model=(_typed(model) if isinstance(outputs, int) else model).SerializeToString(),
        feeds=feeds,
        inputs=tuple(_case_input(value) for value in inputs),
        attributes=attributes,
        slack=slack,
    )


def _typed(model: onnx.ModelProto) -> onnx.ModelProto:
    """Give the outputs the types that ONNX infers, or the first input's where it does not know."""
    inferred = onnx.shape_inference.infer_shapes(model)
    for output in inferred.graph.output:
        if not output.type.tensor_type.elem_type:
            output.type.tensor_type.elem_type = model.graph.input[0].type.tensor_type.elem_type
    return inferred


def _deciding_dtype(op: str, opset: int, domain: str, inputs: Sequence[Array | Initializer | None]) -> str:
    schema = find_schema(op, opset, domain)
    index = 0 if schema is None or schema.deciding_input is None else schema.deciding_input
    given = inputs[index] if index < len(inputs) else None
    return "" if given is None else _case_input(given).dtype  # type: ignore[union-attr]


def _case_input(value: Array | Initializer | None) -> CaseInput | None:
    if value is None:
        return None
    array = value.value if isinstance(value, Initializer) else value
    dtype = TensorProto.DataType.Name(_elements(array)).lower()
    shape = list(array.shape)
    return (
        CaseInput(dtype, shape, array.ravel().tolist())
        if isinstance(value, Initializer) and array.size <= 16
        else CaseInput(dtype, shape)
    )


def _sizes(name: str, value: Array) -> list[str | int]:
    """Name the sizes; those of a list stay, since it may be one of sizes, axes or pads."""
    return list(value.shape) if value.ndim < 2 else [f"{name}_{axis}" for axis in range(value.ndim)]


def _elements(value: Array) -> int:
    return helper.np_dtype_to_tensor_dtype(value.dtype)


def _code(name: str) -> int:
    return TensorProto.DataType.Value(name.upper())
