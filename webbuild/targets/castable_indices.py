"""The inputs and outputs of an operator that may change from float32 to float16, by its schema."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from msgspec import Struct

_FLOAT_TYPES = {"tensor(float)", "tensor(float16)"}
_EXCLUDED_OPS = {
    "Cast", "CastLike", "ConstantOfShape", "EyeLike", "RandomNormal", "RandomNormalLike", "RandomUniform",
    "RandomUniformLike", "Range", "Bernoulli", "Multinomial",
}  # fmt: skip
"""Operators whose type is an attribute, and Range."""
_TYPED_DEQUANTIZE = 23
"""First opset in which the output type of DequantizeLinear has its own type variable, which follows the scale."""
SHAPE_OPS = {"Shape", "Size"}
"""Operators that read no values, so that the element type of their input does not matter."""
_FIXED = {"Resize": {1, 2}, "Upsample": {1}, "Dropout": {1}}
"""Inputs that are parameters, not data: roi and scales of a Resize, the ratio of a Dropout."""


class CastableIO(Struct, frozen=True):
    """Indices of a node's float32 inputs and outputs that can become float16, all of them together."""

    inputs: frozenset[int]
    outputs: frozenset[int]


def castable_indices(
    op: str, opset: int, domain: str, inputs: Iterable[int], outputs: Iterable[int]
) -> CastableIO | None:
    """Return which of the float32 inputs and outputs can become float16; None if the schema allows none."""
    if op in _EXCLUDED_OPS or op in SHAPE_OPS or (op == "DequantizeLinear" and opset >= _TYPED_DEQUANTIZE):
        return None
    forms = _float_type_variables(op, opset, domain)
    if forms is None:
        return None
    input_types, output_types = forms
    fixed = _FIXED.get(op, set())
    free = {
        index: variable for index in inputs if index not in fixed and (variable := _type_variable(input_types, index))
    }
    if not free:
        return None
    variables = set(free.values())
    return CastableIO(
        frozenset(free), frozenset(index for index in outputs if _type_variable(output_types, index) in variables)
    )


def _type_variable(variables: tuple[str, ...], index: int) -> str:
    """Return the type variable at an index; the last one also applies to all later (variadic) indices."""
    return variables[min(index, len(variables) - 1)] if variables else ""


@cache
def _float_type_variables(op: str, opset: int, domain: str) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return the type variables of inputs and outputs; of an input empty if it cannot be both float32 and float16."""
    import onnx

    try:
        schema = onnx.defs.get_schema(op, opset, domain)
    except onnx.defs.SchemaError:
        return None
    both = {c.type_param_str for c in schema.type_constraints if set(c.allowed_type_strs) >= _FLOAT_TYPES}
    input_types = tuple(each.type_str if each.type_str in both else "" for each in schema.inputs)
    return input_types, tuple(each.type_str for each in schema.outputs)
