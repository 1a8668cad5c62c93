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
"""Operators whose type is an argument, or that count."""
_TYPED_DEQUANTIZE = 23
"""The opset from which on the result of DequantizeLinear has a type variable of its own, which follows its scale's."""
SHAPE_OPS = {"Shape", "Size"}
"""Operators that look at no number, so that the type of what they read is all the same."""
_FIXED = {"Resize": {1, 2}, "Upsample": {1}, "Dropout": {1}}
"""Inputs that are no numbers of the answer: region and scales of a Resize, the ratio of a Dropout."""


class CastableIO(Struct, frozen=True):
    """The places of a node's float32 inputs and outputs that can be float16, all together."""

    inputs: frozenset[int]
    outputs: frozenset[int]


def castable_indices(
    op: str, opset: int, domain: str, inputs: Iterable[int], outputs: Iterable[int]
) -> CastableIO | None:
    """Return which of the places that hold float32 can be float16, None where nothing can: there is no such form."""
    if op in _EXCLUDED_OPS or op in SHAPE_OPS or (op == "DequantizeLinear" and opset >= _TYPED_DEQUANTIZE):
        return None
    forms = _float_type_variables(op, opset, domain)
    if forms is None:
        return None
    taken, given = forms
    fixed = _FIXED.get(op, set())
    free = {index: variable for index in inputs if index not in fixed and (variable := _type_variable(taken, index))}
    if not free:
        return None
    variables = set(free.values())
    return CastableIO(
        frozenset(free), frozenset(index for index in outputs if _type_variable(given, index) in variables)
    )


def _type_variable(variables: tuple[str, ...], index: int) -> str:
    """Return the type variable at a place; the last one is that of all after it."""
    return variables[min(index, len(variables) - 1)] if variables else ""


@cache
def _float_type_variables(op: str, opset: int, domain: str) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return the type variables of inputs and outputs, empty where the type is not both of float32 and float16."""
    import onnx

    try:
        schema = onnx.defs.get_schema(op, opset, domain)
    except onnx.defs.SchemaError:
        return None
    both = {c.type_param_str for c in schema.type_constraints if set(c.allowed_type_strs) >= _FLOAT_TYPES}
    taken = tuple(each.type_str if each.type_str in both else "" for each in schema.inputs)
    return taken, tuple(each.type_str for each in schema.outputs)
