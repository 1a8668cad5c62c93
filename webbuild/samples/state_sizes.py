"""The sizes of a state: an input that an output of the run before goes into, half as large as the picture or less."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.model.load import OnnxModel
from webbuild.passes.base import PassOptions
from webbuild.passes.lower import lower
from webbuild.runners.native import NativeRunner


def first_states(source: OnnxModel, dims: Mapping[str, int], native: NativeRunner) -> dict[str, NDArray[Any]]:
    """Return the zeros that a model of these sizes has for states before its first run."""
    states = {pair.input for pair in source.states}
    return {
        spec.name: np.zeros(
            [size if isinstance(size, int) else dims[f"{spec.name}:{axis}"] for axis, size in enumerate(spec.shape)],
            native.input_dtypes[spec.name],
        )
        for spec in source.signature.inputs
        if spec.name in states
    }


def state_sizes(source: OnnxModel, picture: str, dims: Mapping[str, int]) -> dict[str, int]:
    """Return the free sizes of states, by "input:axis", that follow from those of the picture.

        src [1, 3, 224, 224], r1i [1, 16, h, w] -> r1o [1, 16, 112, 112]    r1i:2 and r1i:3 are 112

    A state has the rank and the fixed sizes of the output that takes its place in the next run. The n-th such input
    belongs to the n-th such output. What has a free size in common with the picture is no state.
    """
    shapes = {each.name: each.shape for each in source.signature.inputs}
    free_names = {name: {size for size in shape[1:] if isinstance(size, str)} for name, shape in shapes.items()}
    states = {name for name, free in free_names.items() if name != picture and not free & free_names[picture]}
    if all(isinstance(size, int) for name in states for size in shapes[name][1:]):
        return {}
    sides = {key: size for key, size in dims.items() if key.rpartition(":")[0] == picture or key.endswith(":0")}
    model = lower(source.model, PassOptions(dims=sides), ("wasm",)).graphs["wasm"]  # with sizes computed
    found: dict[str, int] = {}
    outputs = list(model.graph.outputs)
    for value in model.graph.inputs:
        shape = list(value.shape or ())
        free = [axis for axis, size in enumerate(shape) if axis > 0 and not isinstance(size, int)]
        if not free or value.name not in states:
            continue
        for output in outputs:
            made = list(output.shape or ())
            fixed = {axis: size for axis, size in enumerate(shape) if axis > 0 and isinstance(size, int)}
            if len(made) != len(shape) or any(made[axis] != size for axis, size in fixed.items()):
                continue
            sizes = {f"{value.name}:{axis}": size for axis in free if isinstance(size := made[axis], int)}
            if len(sizes) == len(free):
                found |= sizes
                outputs.remove(output)
                break
    return found
