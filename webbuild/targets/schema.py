"""Which version of an operator a node means, and which of its values decides about the kernel."""

from __future__ import annotations

from functools import cache

from msgspec import Struct


class Schema(Struct, frozen=True):
    """A version of an operator, `since` the opset that brought it.

    The kernel hangs on the element type of input `input`, or of output `output` where no input has the operator's
    first type variable; None where neither has.
    """

    since: int
    input: int | None
    output: int | None


@cache
def schema(op: str, opset: int, domain: str = "") -> Schema | None:
    """Return what ONNX says of an operator at an opset, None if it has no such operator."""
    import onnx

    try:
        found = onnx.defs.get_schema(op, opset, "" if domain == "ai.onnx" else domain)
    except onnx.defs.SchemaError:
        return None
    variable = found.type_constraints[0].type_param_str if found.type_constraints else ""
    return Schema(found.since_version, _first(found.inputs, variable), _first(found.outputs, variable))


def _first(values: object, variable: str) -> int | None:
    assert isinstance(values, (list, tuple))
    return next((index for index, value in enumerate(values) if value.type_str == variable), None)
