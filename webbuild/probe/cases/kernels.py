"""Every GPU kernel of any build, once, at its schema version and element type.

Skipped are float16, which the software adapter of the measurements lacks; random operators; operators that need valid
or distinct indices, which `gather` has; and Shape, which is folded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import onnx
from onnx import helper

from webbuild.probe.kernel_sweep import kernel_probes
from webbuild.probe.probe_model import Array, Probe
from webbuild.probe.random_data import RandomData
from webbuild.targets.table import load_table, measured_targets

_NOT = {"Bernoulli", "Cast", "GatherND", "Multinomial", "ScatterElements", "ScatterND", "Shape"}
_TYPES = ("float", "int32", "uint32", "int8", "uint8", "bool")


def cases(_draw: RandomData) -> Iterator[Probe]:
    """Yield the probes. Each has its own seed, so that a new kernel does not change the inputs of others."""
    for each in kernel_probes():
        op = each.probe.op
        if each.dtype in _TYPES and (op, each.schema_version, each.dtype) in _on_gpu() and op not in _NOT:
            name = f"{op} {each.schema_version} {each.dtype}"
            yield replace(each.probe, name=name, feeds=_feeds(f"kernels/{name}", each.probe), run=True, slack=3)


@cache
def _on_gpu() -> frozenset[tuple[str, int, str]]:
    return frozenset(
        (op, int(since), dtype)
        for target in measured_targets()
        for op, versions in load_table(target).kernels.items()
        for since, places in versions.items()
        for dtype in places.get("gpu", [])
    )


def _feeds(name: str, probe: Probe) -> dict[str, Array]:
    draw, least = RandomData(name), 1.1 if probe.op == "Acosh" else 0.1
    return {value.name: _value(draw, value, least) for value in onnx.load_model_from_string(probe.model).graph.input}


def _value(draw: RandomData, value: onnx.ValueInfoProto, least: float) -> Array:
    """Return numbers in the domain of nearly every operator, and indices in every range."""
    tensor = value.type.tensor_type
    dtype = helper.tensor_dtype_to_np_dtype(tensor.elem_type)
    shape = [dim.dim_value for dim in tensor.shape.dim]
    if dtype.kind == "f":
        return draw.uniform(least, least + 0.8, *shape).astype(dtype)
    return draw.ints(*shape, low=0 if tensor.elem_type in _INDICES else 1, high=2, dtype=dtype.type)


_INDICES = {onnx.TensorProto.INT64, onnx.TensorProto.BOOL}
