"""The older schema of an operator, for downgrading nodes to an older opset."""

from __future__ import annotations

from functools import cache
from typing import Any

from msgspec import Struct

AttributeDefault = int | float | str | list[int] | None


class OlderSchema(Struct, frozen=True):
    """The version of an operator in an older opset.

    Attributes:
        steps: the versions between them, newest first; most changed only the allowed types.
        added_attributes: attributes that the older version lacks, with their defaults in the newer one.
        inputs: the maximum number of inputs of the older version.
        input_types: allowed types of each input, such as `tensor(float)`; the last applies to all further inputs.
        output_types: allowed types of each output.
    """

    steps: tuple[int, ...]
    added_attributes: dict[str, AttributeDefault]
    inputs: int
    input_types: tuple[frozenset[str], ...]
    output_types: tuple[frozenset[str], ...]


@cache
def older_schema(op: str, opset: int, target: int) -> OlderSchema | None:
    """Return the schema in opset `target` of an operator in opset `opset`.

    None if there is none, or if attributes, inputs or outputs changed otherwise than by additions.
    """
    import onnx

    try:
        new, old = onnx.defs.get_schema(op, opset), onnx.defs.get_schema(op, target)
    except onnx.defs.SchemaError:
        return None
    if old.deprecated or new.deprecated:
        return None
    if not set(old.attributes) <= set(new.attributes):
        return None
    if [_signature(value) for value in old.inputs] != [_signature(value) for value in new.inputs[: len(old.inputs)]]:
        return None
    if [_signature(value) for value in old.outputs] != [_signature(value) for value in new.outputs]:
        return None
    added = {name: _default(attribute) for name, attribute in new.attributes.items() if name not in old.attributes}
    types = [tuple(frozenset(value.types) for value in values) for values in (old.inputs, old.outputs)]
    return OlderSchema(_steps(op, opset, target), added, old.max_input, *types)


def _steps(op: str, opset: int, target: int) -> tuple[int, ...]:
    import onnx

    steps, at = [], opset
    while (since := onnx.defs.get_schema(op, at).since_version) > target:
        steps.append(since)
        at = since - 1
    return tuple(steps)


def _signature(value: Any) -> tuple[str, Any]:
    return value.name, value.option


def _default(attribute: Any) -> AttributeDefault:
    import onnx

    proto = attribute.default_value
    if not proto.type:
        return None
    value: Any = onnx.helper.get_attribute_value(proto)
    return value.decode() if isinstance(value, bytes) else value
