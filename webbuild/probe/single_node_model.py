"""Builds a one-node model from an operator's schema and template, for an element type."""

from __future__ import annotations

import re
from typing import Any

import onnx
from onnx import helper
from onnx.defs import OpSchema

from webbuild.probe.op_template import OpTemplate, onnx_dtype
from webbuild.probe.probe_model import IR_VERSION, NAME, Probe
from webbuild.targets.schema import kernel_type_variable

_PREFERRED = ("int64", "float", "int32", "uint8", "bool", "float16")
_SAME_TYPE_OPS = {
    "Attention", "BatchNormalization", "Bernoulli", "BitCast", "CastLike", "ConcatFromSequence", "EyeLike",
    "GroupNormalization", "LayerNormalization", "Optional", "OptionalGetElement", "OptionalHasElement", "Pow",
    "RMSNormalization", "SequenceAt", "SequenceConstruct", "SequenceInsert", "SequenceMap", "SplitToSequence",
}  # fmt: skip
"""Operators with several type variables that all get the same type."""

_QUANTIZED_OPS = {"QuantizeLinear", "DequantizeLinear", "QLinearConv", "QLinearMatMul"}
_ELEMENT = re.compile(r"tensor\((\w+)\)")


def single_node_probe(schema: OpSchema, form: OpTemplate, dtype: str, opset: int) -> Probe:
    """Return the model as a probe that is not run."""
    bound = _bind(schema, form, dtype)
    inputs, initializers, names = [], [], []
    for index, value in enumerate(form.inputs):
        names.append("" if value is None else f"x{index}")
        slot = schema.inputs[min(index, len(schema.inputs) - 1)].type_str
        if isinstance(value, tuple):
            inputs.append(helper.make_value_info(names[-1], _type(schema, bound, slot, value)))
        elif value is not None:
            element = onnx_dtype(_element(bound, slot))
            initializers.append(helper.make_tensor(names[-1], element, value.shape, value.ravel().tolist()))
    results = [f"y{index}" for index in range(form.outputs)]
    node = helper.make_node(schema.name, names, results, name=NAME, **_attributes(schema, form, dtype))
    slots = [schema.outputs[min(index, len(schema.outputs) - 1)].type_str for index in range(form.outputs)]
    outputs = [
        helper.make_value_info(name, _type(schema, bound, slot, None))
        for name, slot in zip(results, slots, strict=True)
    ]
    graph = helper.make_graph([node], "g", inputs, outputs, initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=IR_VERSION)
    name = f"sweep/{schema.name} {schema.since_version} {dtype}"
    return Probe(name, schema.name, opset, dtype, model.SerializeToString(), {}, run=False)


def allowed_dtypes(schema: OpSchema, variable: str) -> list[str]:
    """Return the element types that a type variable may have, alone or in a sequence."""
    types = next((c.allowed_type_strs for c in schema.type_constraints if c.type_param_str == variable), [])
    return list(dict.fromkeys(_ELEMENT.findall(" ".join(types))))


def _attributes(schema: OpSchema, form: OpTemplate, dtype: str) -> dict[str, Any]:
    attributes = {
        name: value(dtype) if callable(value) else value
        for name, value in form.attributes.items()
        if name in schema.attributes
    }
    return {name: value for name, value in attributes.items() if value is not None}


def _bind(schema: OpSchema, form: OpTemplate, dtype: str) -> dict[str, str]:
    """Choose an element type for each type variable; `dtype` is the type of the one that selects the kernel."""
    first = dtype.partition("->")[0]
    bound = (
        {"T1": first, "T2": dtype.partition("->")[2]}
        if schema.name == "Cast"
        else {kernel_type_variable(schema): dtype}
    )
    for constraint in schema.type_constraints:
        names = allowed_dtypes(schema, constraint.type_param_str)
        order = (*([first] if schema.name in _SAME_TYPE_OPS else []), *_PREFERRED)
        order = ("float", "uint8", "int8", *order) if schema.name in _QUANTIZED_OPS else order
        choice = next((name for name in order if name in names), next(iter(names), ""))
        bound.setdefault(constraint.type_param_str, choice)
    return {**bound, **form.types}


def _type(schema: OpSchema, bound: dict[str, str], slot: str, shape: tuple[int, ...] | None) -> onnx.TypeProto:
    """Return the type of an input or output: a tensor if its type variable allows it, else a sequence or optional."""
    element = _element(bound, slot)
    tensor = helper.make_tensor_type_proto(onnx_dtype(element), shape)
    types = next((c.allowed_type_strs for c in schema.type_constraints if c.type_param_str == slot), [])
    if not types or f"tensor({element})" in types:
        return tensor
    if f"seq(tensor({element}))" in types:
        return helper.make_sequence_type_proto(tensor)
    return helper.make_optional_type_proto(tensor)


def _element(bound: dict[str, str], slot: str) -> str:
    return slot[7:-1] if slot.startswith("tensor(") else bound[slot]
