"""Every kernel that some build has on the GPU, once, at the version and in the element type that it is for.

float16 is left out: the software adapter that tables are measured on has none. So is what draws random numbers, what
picks or scatters by places that have to differ or lie within, which `gather` has, and Shape, which is folded here.
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
    """Yield the probes. Each draws for itself: a kernel more changes no other's numbers."""
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
    """Return numbers that are in nearly every operator's domain, and indices that are in every range."""
    tensor = value.type.tensor_type
    dtype = helper.tensor_dtype_to_np_dtype(tensor.elem_type)
    shape = [dim.dim_value for dim in tensor.shape.dim]
    if dtype.kind == "f":
        return draw.uniform(least, least + 0.8, *shape).astype(dtype)
    return draw.ints(*shape, low=0 if tensor.elem_type in _INDICES else 1, high=2, dtype=dtype.type)


_INDICES = {onnx.TensorProto.INT64, onnx.TensorProto.BOOL}
