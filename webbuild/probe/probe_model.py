"""A probe: a one-node model with its inputs."""

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
"""Name of the measured node."""
Array = NDArray[Any]


@dataclass(frozen=True)
class Initializer:
    """An input that is an initializer of the model."""

    value: Array


@dataclass(frozen=True)
class Probe:
    """A one-node model with its inputs.

    `name` is unique. `dtype` is the element type that selects the kernel. `slack` multiplies the tolerance of
    `compare_output`. `run` is false to measure only the placement. `exact` is the float32 version of a float16 probe,
    with inputs that float16 can represent; it gives the reference outputs.
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
    """Return axes, sizes or pads as an initializer."""
    return Initializer(np.array(values, np.int64))


def scalar(value: float, dtype: type = np.float32) -> Initializer:
    """Return a scalar as an initializer."""
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
    """Build a one-node model. Arrays are fed, an `Initializer` becomes one, None is an omitted input.

    Sizes are symbolic, so that no optimization depends on them and the kernel itself is measured. `op` defaults to the
    first word of the name. `outputs` is the number of outputs, or, for an operator that ONNX does not define, their
    element types.
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
    """Set the output types that ONNX infers, or else the type of the first input."""
    inferred = onnx.shape_inference.infer_shapes(model)
    for output in inferred.graph.output:
        if not output.type.tensor_type.elem_type:
            output.type.tensor_type.elem_type = model.graph.input[0].type.tensor_type.elem_type
    return inferred


def _deciding_dtype(op: str, opset: int, domain: str, inputs: Sequence[Array | Initializer | None]) -> str:
    schema = find_schema(op, opset, domain)
    index = 0 if schema is None or schema.deciding_input is None else schema.deciding_input
    deciding = inputs[index] if index < len(inputs) else None
    return "" if deciding is None else _case_input(deciding).dtype  # type: ignore[union-attr]


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
    """Return symbolic sizes; a 1-D tensor keeps its size, because it may be a list of sizes, axes or pads."""
    return list(value.shape) if value.ndim < 2 else [f"{name}_{axis}" for axis in range(value.ndim)]


def _elements(value: Array) -> int:
    return helper.np_dtype_to_tensor_dtype(value.dtype)


def _code(name: str) -> int:
    return TensorProto.DataType.Value(name.upper())
