"""A one-node model for each operator, schema version and element type, to log its placement; it is never run."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module

import onnx
from onnx.defs import OpSchema

from webbuild.probe import op_templates
from webbuild.probe.op_template import TemplateFactory
from webbuild.probe.probe_model import Probe
from webbuild.probe.single_node_model import allowed_dtypes, single_node_probe
from webbuild.targets.schema import NO_TYPE_VARIABLE, kernel_type_variable

OLDEST_OPSET, DEFAULT_OPSET, NEWEST_OPSET = 7, 17, 26
"""Schema versions outside oldest to newest are skipped. A version is measured at the default opset if it is current
there. ONNX Runtime loads no opset above the newest."""

_TYPES = """
float float16 double int64 int32 int16 int8 uint8 uint16 uint32 uint64 bool bfloat16 string uint4 int4 uint2 int2
float8e4m3fn float8e4m3fnuz float8e5m2 float8e5m2fnuz float8e8m0 float4e2m1
"""
"""All types except complex numbers: ONNX Runtime loads no model with these."""

_DTYPES = _TYPES.split()
_COMMON_DTYPES = _DTYPES[:12]


@dataclass(frozen=True)
class KernelProbe:
    """A probe of a placement, for a schema version and an element type."""

    probe: Probe
    schema_version: int
    dtype: str


def _all_templates() -> dict[str, TemplateFactory]:
    """Return the template of each operator, from every module in `op_templates`."""
    templates: dict[str, TemplateFactory] = {}
    for module in sorted(pkgutil.iter_modules(op_templates.__path__), key=lambda module: module.name):
        templates |= import_module(f"{op_templates.__name__}.{module.name}").TEMPLATES
    return templates


def kernel_probes() -> Iterator[KernelProbe]:
    """Yield a probe for every schema version and element type of every operator."""
    for op, form_of in sorted(_all_templates().items()):
        versions = sorted(
            {s.since_version for s in onnx.defs.get_all_schemas_with_history() if (s.name, s.domain) == (op, "")}
        )
        for since, following in zip(versions, [*versions[1:], NEWEST_OPSET + 1], strict=True):
            schema = onnx.defs.get_schema(op, since, "")
            if following <= OLDEST_OPSET or since > NEWEST_OPSET or schema.deprecated:
                continue
            opset = max(since, min(following - 1, DEFAULT_OPSET))
            for dtype in _dtypes(schema):
                yield KernelProbe(single_node_probe(schema, form_of(since), dtype, opset), since, dtype)


def _dtypes(schema: OpSchema) -> list[str]:
    if schema.name == "Cast":
        sources, targets = (allowed_dtypes(schema, name) for name in ("T1", "T2"))
        pairs = [(a, b) for a in _DTYPES for b in _DTYPES if a in _COMMON_DTYPES or b in _COMMON_DTYPES]
        pairs = [(a, b) for a, b in pairs if {a, b} <= {*_COMMON_DTYPES} or "float" in (a, b)]
        return [f"{a}->{b}" for a, b in pairs if a in sources and b in targets]
    if not schema.type_constraints:
        return [NO_TYPE_VARIABLE]
    names = allowed_dtypes(schema, kernel_type_variable(schema))
    return [name for name in _DTYPES if name in names]
