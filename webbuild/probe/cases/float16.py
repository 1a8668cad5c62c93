"""Probes of other families in float16, as `pack --precision` converts them, compared with float32.

Families that only vary axes, sizes and channels of the same kernels are skipped, and numbers beyond float16's range.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper

from webbuild.probe.probe_model import Array, Probe
from webbuild.probe.random_data import RandomData
from webbuild.targets.castable_indices import castable_indices
from webbuild.targets.table import CaseInput

_FAMILIES = (
    "attention", "binary", "conv", "conv_transpose", "elementwise", "gather", "kernels", "matmul", "normalization",
    "order", "pad", "pool", "reduce", "resize", "slice", "spectral", "vision",
)  # fmt: skip
_SLACK = 4.0
"""Tolerance factor for sums that kernels accumulate in float16."""


def cases(_draw: RandomData) -> Iterator[Probe]:
    """Yield the probes, with the names of the float32 probes: `float16/pad/constant`."""
    from webbuild.probe.registry import family_probes

    for family in _FAMILIES:
        for probe in family_probes(family):
            if (half := to_float16(probe)) is not None:
                yield half


def to_float16(probe: Probe) -> Probe | None:
    """Return a float32 probe in float16; None if it cannot be converted, or its numbers exceed float16's range."""
    model = onnx.load_model_from_string(probe.model)
    (node,) = model.graph.node
    values = {value.name: value for value in (*model.graph.input, *model.graph.output)}
    initializers = {tensor.name: tensor for tensor in model.graph.initializer}
    singles = {name for name, value in values.items() if value.type.tensor_type.elem_type == TensorProto.FLOAT}
    singles |= {name for name, tensor in initializers.items() if tensor.data_type == TensorProto.FLOAT}
    inputs, outputs = ([at for at, name in enumerate(names) if name in singles] for names in (node.input, node.output))
    places = castable_indices(node.op_type, probe.opset, node.domain, inputs, outputs)
    if places is None:
        return None
    taken = {node.input[at] for at in places.inputs}
    numbers = {**probe.feeds, **{name: numpy_helper.to_array(tensor) for name, tensor in initializers.items()}}
    rounded = {name: _rounded(numbers[name]) for name in taken if name in numbers}
    if any((np.isfinite(numbers[name]) != np.isfinite(half)).any() for name, (half, _) in rounded.items()):
        return None
    exact = onnx.ModelProto.FromString(probe.model)
    for made, which in ((model, 0), (exact, 1)):
        for tensor in made.graph.initializer:
            if tensor.name in taken:
                tensor.CopyFrom(numpy_helper.from_array(rounded[tensor.name][which], tensor.name))
    for name in (*taken, *(node.output[at] for at in places.outputs)):
        if name in values:
            values[name].type.tensor_type.elem_type = TensorProto.FLOAT16
    feeds = {name: rounded[name][0] if name in rounded else value for name, value in probe.feeds.items()}
    return replace(
        probe,
        dtype="float16",
        model=model.SerializeToString(),
        feeds=feeds,
        inputs=tuple(
            CaseInput("float16", each.shape, each.value) if each and at in places.inputs else each
            for at, each in enumerate(probe.inputs)
        ),
        slack=max(probe.slack, _SLACK),
        exact=replace(
            probe,
            model=exact.SerializeToString(),
            feeds={name: rounded[name][1] if name in rounded else value for name, value in probe.feeds.items()},
        ),
    )


def _rounded(value: Array) -> tuple[Array, Array]:
    """Return an array rounded to float16, and the rounded values as float32."""
    with np.errstate(over="ignore"):
        half = value.astype(np.float16)
    return half, half.astype(np.float32)
