"""One model for each operator, version of its schema and element type: asked where it is placed, never run."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module

import onnx
from onnx import TensorProto, helper
from onnx.defs import OpSchema

from webbuild.probe import forms
from webbuild.probe.form import Form, FormOf
from webbuild.probe.node import IR_VERSION, Probe
from webbuild.targets.schema import NO_VARIABLE, deciding

OLDEST, USUAL, NEWEST = 7, 17, 25
"""Opsets: versions that none of them between oldest and newest means are left out; a version is asked for at the
usual one where it is current there."""

TYPES = [
    "float",
    "float16",
    "double",
    "int64",
    "int32",
    "int16",
    "int8",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "bool",
    "bfloat16",
]
_PREFERRED = ("int64", "float", "int32", "uint8", "bool", "float16")
_LIKE_THE_FIRST = {"Attention", "BatchNormalization", "CastLike", "GroupNormalization", "LayerNormalization", "Pow"}
_LIKE_THE_FIRST |= {"RMSNormalization"}
_QUANTISED = {"QuantizeLinear", "DequantizeLinear", "QLinearConv", "QLinearMatMul"}
_FROM_ATTRIBUTE = {"Bernoulli", "EyeLike"}


@dataclass(frozen=True)
class Swept:
    """A probe of a placement: the version of the schema and the element type that it stands for."""

    probe: Probe
    since: int
    dtype: str


def all_forms() -> dict[str, FormOf]:
    """Return how to write each operator, from every module in `forms`."""
    found: dict[str, FormOf] = {}
    for module in sorted(pkgutil.iter_modules(forms.__path__), key=lambda module: module.name):
        found |= import_module(f"{forms.__name__}.{module.name}").FORMS
    return found


def sweep() -> Iterator[Swept]:
    """Yield every operator's versions and element types."""
    for op, form_of in sorted(all_forms().items()):
        versions = sorted(
            {s.since_version for s in onnx.defs.get_all_schemas_with_history() if (s.name, s.domain) == (op, "")}
        )
        for since, following in zip(versions, [*versions[1:], NEWEST + 1], strict=True):
            found = onnx.defs.get_schema(op, since, "")
            if following <= OLDEST or since > NEWEST or found.deprecated:
                continue
            opset = max(since, min(following - 1, USUAL))
            for dtype in _dtypes(found):
                yield Swept(_probe(found, form_of(since), dtype, opset), since, dtype)


def _dtypes(found: OpSchema) -> list[str]:
    if found.name == "Cast":
        pairs = [(a, b) for a in TYPES[:-1] for b in TYPES[:-1]]
        sources, targets = (_allowed(found, name) for name in ("T1", "T2"))
        return [f"{a}->{b}" for a, b in pairs if a in sources and b in targets]
    if not found.type_constraints:
        return [NO_VARIABLE]
    allowed = _allowed(found, deciding(found))
    return [name for name in TYPES if name in allowed]


def _probe(found: OpSchema, form: Form, dtype: str, opset: int) -> Probe:
    bound = _bind(found, form, dtype)
    inputs, held, names = [], [], []
    for index, value in enumerate(form.inputs):
        names.append("" if value is None else f"x{index}")
        slot = found.inputs[min(index, len(found.inputs) - 1)].type_str
        if isinstance(value, tuple):
            inputs.append(helper.make_tensor_value_info(names[-1], _code(_element(bound, slot)), value))
        elif value is not None:
            element = _code(_element(bound, slot))
            held.append(helper.make_tensor(names[-1], element, value.shape, value.ravel().tolist()))
    attributes = {name: value for name, value in form.attributes.items() if name in found.attributes}
    if found.name == "Cast":
        attributes["to"] = _code(dtype.partition("->")[2])
    if found.name == "ConstantOfShape":
        attributes["value"] = helper.make_tensor("value", _code(dtype), [1], [1])
    if found.name == "Mod" and dtype in ("float", "double", "float16", "bfloat16"):
        attributes["fmod"] = 1
    results = [f"y{index}" for index in range(form.outputs)]
    node = helper.make_node(found.name, names, results, name="n", **attributes)
    outputs = [
        helper.make_tensor_value_info(
            name, _code(_element(bound, found.outputs[min(i, len(found.outputs) - 1)].type_str)), None
        )
        for i, name in enumerate(results)
    ]
    graph = helper.make_graph([node], "g", inputs, outputs, held)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=IR_VERSION)
    name = f"sweep/{found.name} {found.since_version} {dtype}"
    return Probe(name, found.name, opset, dtype, model.SerializeToString(), {}, run=False)


def _bind(found: OpSchema, form: Form, dtype: str) -> dict[str, str]:
    """Choose an element type for each type variable: the deciding one's is given."""
    first = dtype.partition("->")[0]
    bound = {"T1": first, "T2": dtype.partition("->")[2]} if found.name == "Cast" else {deciding(found): dtype}
    for constraint in found.type_constraints:
        allowed = _allowed(found, constraint.type_param_str)
        order = (*([first] if found.name in _LIKE_THE_FIRST | _FROM_ATTRIBUTE else []), *_PREFERRED)
        order = ("float", "uint8", "int8", *order) if found.name in _QUANTISED else order
        choice = next((name for name in order if name in allowed), next(iter(allowed), ""))
        bound.setdefault(constraint.type_param_str, choice)
    return {**bound, **form.types}


def _element(bound: dict[str, str], slot: str) -> str:
    return slot[7:-1] if slot.startswith("tensor(") else bound[slot]


def _allowed(found: OpSchema, variable: str) -> list[str]:
    types = next((c.allowed_type_strs for c in found.type_constraints if c.type_param_str == variable), [])
    return [name[7:-1] for name in types if name.startswith("tensor(")]


def _code(name: str) -> int:
    return TensorProto.DataType.Value(name.upper())
