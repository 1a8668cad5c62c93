"""Dimension names that are arithmetic expressions of other dimensions, such as `Min(20, (width - 1)//8 + 1)`."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping

_MAX_LENGTH = 2000
"""Longest expression that is evaluated, in characters."""
_MAX_VALUE = 2**31
_OPERATORS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_FUNCTIONS: dict[str, Callable[..., int]] = {"Min": min, "Max": max, "min": min, "max": max}


def evaluate_size(text: str | None, sizes: Mapping[str, int]) -> int | None:
    """Return the value of a size expression, None if it is not arithmetic over known names.

    The text comes from the model, so it is parsed and never executed.
    """
    if text is None or len(text) > _MAX_LENGTH:
        return None
    try:
        value = _value(ast.parse(text, mode="eval").body, sizes)
    except (ValueError, SyntaxError, ArithmeticError, RecursionError, MemoryError, TypeError):
        return None
    return value if 0 <= value < _MAX_VALUE else None


def _value(node: ast.expr, sizes: Mapping[str, int]) -> int:
    match node:
        case ast.Constant(value=int(value)):
            result = int(value)
        case ast.Name(id=name) if name in sizes:
            result = sizes[name]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            result = _OPERATORS[type(op)](_value(left, sizes), _value(right, sizes))
        case ast.Call(func=ast.Name(id=name), args=[_, *_] as arguments, keywords=[]) if name in _FUNCTIONS:
            result = _FUNCTIONS[name](*(_value(argument, sizes) for argument in arguments))
        case _:
            raise ValueError(ast.dump(node))
    if abs(result) > _MAX_VALUE:
        raise ValueError(result)
    return result
