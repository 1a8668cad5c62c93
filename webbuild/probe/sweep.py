"""One model for each operator, version of its schema and element type: asked where it is placed, never run."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module

import onnx
from onnx.defs import OpSchema

from webbuild.probe import forms
from webbuild.probe.form import FormOf
from webbuild.probe.node import Probe
from webbuild.probe.one_node import allowed, one_node
from webbuild.targets.schema import NO_VARIABLE, deciding

OLDEST, USUAL, NEWEST = 7, 17, 26
"""Opsets: versions that none of them between oldest and newest means are left out; a version is asked for at the
usual one where it is current there. ONNX Runtime loads none above the newest."""

_TYPES = """
float float16 double int64 int32 int16 int8 uint8 uint16 uint32 uint64 bool bfloat16 string uint4 int4 uint2 int2
float8e4m3fn float8e4m3fnuz float8e5m2 float8e5m2fnuz float8e8m0 float4e2m1
"""
"""But for complex numbers: ONNX Runtime loads no model that has them."""

TYPES = _TYPES.split()
_USUAL_TYPES = TYPES[:12]


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
                yield Swept(one_node(found, form_of(since), dtype, opset), since, dtype)


def _dtypes(found: OpSchema) -> list[str]:
    if found.name == "Cast":
        sources, targets = (allowed(found, name) for name in ("T1", "T2"))
        pairs = [(a, b) for a in TYPES for b in TYPES if a in _USUAL_TYPES or b in _USUAL_TYPES]
        pairs = [(a, b) for a, b in pairs if {a, b} <= {*_USUAL_TYPES} or "float" in (a, b)]
        return [f"{a}->{b}" for a, b in pairs if a in sources and b in targets]
    if not found.type_constraints:
        return [NO_VARIABLE]
    names = allowed(found, deciding(found))
    return [name for name in TYPES if name in names]
