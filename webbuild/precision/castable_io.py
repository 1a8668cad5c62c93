"""Inputs and outputs of a node that may change from float32 to float16, by its operator schema."""

from __future__ import annotations

from functools import cache

import onnx_ir as ir
from msgspec import Struct

from webbuild.inspection.kernels import STANDARD_DOMAINS

_FLOAT_TYPES = {"tensor(float)", "tensor(float16)"}
_EXCLUDED_OPS = {
    "Cast", "CastLike", "ConstantOfShape", "EyeLike", "RandomNormal", "RandomNormalLike", "RandomUniform",
    "RandomUniformLike", "Range", "Bernoulli", "Multinomial",
}  # fmt: skip
"""Operators whose type is an argument, or that count."""
_SHAPE_OPS = {"Shape", "Size"}
"""Operators that look at no number, so that the type of what they read is all the same."""
_FIXED = {"Resize": {1, 2}, "Upsample": {1}, "Dropout": {1}}
"""Inputs that are no numbers of the answer: region and scales of a Resize, the ratio of a Dropout."""


class CastableIO(Struct, frozen=True):
    """The places of a node's float32 inputs and outputs that can be float16, all together."""

    inputs: frozenset[int]
    outputs: frozenset[int]


def castable_io(node: ir.Node, opset: int) -> CastableIO | None:
    """Return what of a node can be float16, None where nothing can: no float32 in it, or no such form of it."""
    if node.op_type in _EXCLUDED_OPS or node.op_type in _SHAPE_OPS:
        return None
    floats = [index for index, value in enumerate(node.inputs) if is_float32(value)]
    forms = _float_type_variables(node.op_type, opset, "" if node.domain in STANDARD_DOMAINS else node.domain)
    if forms is None or not floats:
        return None
    taken, given = forms
    fixed = _FIXED.get(node.op_type, set())
    free = {index: variable for index in floats if index not in fixed and (variable := _type_variable(taken, index))}
    if not free:
        return None
    variables = set(free.values())
    outputs = {
        index
        for index, value in enumerate(node.outputs)
        if is_float32(value) and _type_variable(given, index) in variables
    }
    return CastableIO(frozenset(free), frozenset(outputs))


def reads_only_shape(node: ir.Node) -> bool:
    """Whether a node takes any type, since it looks at sizes only."""
    return node.op_type in _SHAPE_OPS and node.domain in STANDARD_DOMAINS


def is_float32(value: ir.Value | None) -> bool:
    """Whether a value is a tensor of float32."""
    return value is not None and isinstance(value.type, ir.TensorType) and value.dtype is ir.DataType.FLOAT


def _type_variable(variables: tuple[str, ...], index: int) -> str:
    """Return the type variable at a place; the last one is that of all after it."""
    return variables[min(index, len(variables) - 1)] if variables else ""


@cache
def _float_type_variables(op: str, opset: int, domain: str) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return the type variables of inputs and outputs, empty where the type is not both of float32 and float16."""
    import onnx

    try:
        found = onnx.defs.get_schema(op, opset, domain)
    except onnx.defs.SchemaError:
        return None
    both = {c.type_param_str for c in found.type_constraints if set(c.allowed_type_strs) >= _FLOAT_TYPES}
    taken = tuple(each.type_str if each.type_str in both else "" for each in found.inputs)
    return taken, tuple(each.type_str for each in found.outputs)
