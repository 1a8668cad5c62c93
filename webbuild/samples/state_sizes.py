"""Sizes of states: the shapes at which a state's output has the shape of its input."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.errors import WebbuildError
from webbuild.model.load import OnnxModel
from webbuild.model.signature import TensorSpec
from webbuild.passes.analysis.input_ranges import input_ranges
from webbuild.passes.base import PassOptions
from webbuild.passes.lower import lower
from webbuild.runners.native import NativeRunner
from webbuild.samples.random_inputs import feeds_of_each_value
from webbuild.tasks.options.symbolic_dims import ResolvedDims, resolve_dims

Shapes = Mapping[str, tuple[int, ...]]

_MAX_RUNS = 3
"""Runs within which shapes must become stable. If the first run broadcasts zeros, they are stable from the second."""


def first_states(source: OnnxModel, dims: Mapping[str, int], native: NativeRunner) -> dict[str, NDArray[Any]]:
    """Return the zero states before the first run, at the sizes `dims`."""
    states = {pair.input for pair in source.states}
    shapes = {spec.name: _fixed_shape(spec, dims) for spec in source.signature.inputs if spec.name in states}
    return {name: np.zeros(shape, native.input_dtypes[name]) for name, shape in shapes.items()}


def _fixed_shape(spec: TensorSpec, dims: Mapping[str, int]) -> tuple[int, ...]:
    """Return the shape of an input with its free sizes from `dims`, by "input:axis"; 1 for missing ones."""
    return tuple(
        size if isinstance(size, int) else dims.get(f"{spec.name}:{axis}", 1) for axis, size in enumerate(spec.shape)
    )


def has_free_states(source: OnnxModel) -> bool:
    """Whether a state has a free dimension."""
    states = {pair.input for pair in source.states}
    return any(
        not isinstance(size, int) for spec in source.signature.inputs if spec.name in states for size in spec.shape
    )


def with_state_sizes(source: OnnxModel, chosen: Mapping[str, int], native: NativeRunner) -> ResolvedDims:
    """Return a size for every free dimension: from `chosen`, and for states the shape that is stable from run to run.

        r1i [1, 1, 1, 1]  ->  r1o [1, 16, 112, 112]  ->  r1o [1, 16, 112, 112]    the shape of r1i

    Native ONNX Runtime runs the model with zeros of the smallest shape, then with zeros of the output's shape, until
    the shape is stable. If a run fails, because the model does not broadcast, shapes are inferred.

    Raises:
        WebbuildError: the errors of `resolve_dims`.
    """
    states = {pair.input for pair in source.states}
    free = {
        f"{spec.name}:{axis}": size
        for spec in source.signature.inputs
        for axis, size in enumerate(spec.shape)
        if spec.name in states and not isinstance(size, int)
    }
    open_keys = [key for key, size in free.items() if key not in chosen and size not in chosen]
    resolved = resolve_dims(source.signature, {**dict.fromkeys(open_keys, 1), **chosen})
    named = {
        size: resolved.dims[f"{spec.name}:{axis}"]
        for spec in source.signature.inputs
        for axis, size in enumerate(spec.shape)
        if spec.name not in states and isinstance(size, str)
    }
    dims = {**resolved.dims, **{key: named[size] for key in open_keys if (size := free[key]) in named}}
    shapes = _stable_shapes(source, dims, native)
    stable = {f"{name}:{axis}": size for name, shape in shapes.items() for axis, size in enumerate(shape)}
    return ResolvedDims({**dims, **{key: stable[key] for key in free}}, resolved.assumptions)


def changed_states(source: OnnxModel, dims: Mapping[str, int], native: NativeRunner) -> dict[str, str]:
    """Return the states whose input and output shapes differ: by input, with both shapes as text."""
    wanted = {name: array.shape for name, array in first_states(source, dims, native).items()}
    next_shapes = _next_shapes(source, dims, wanted, native) if wanted else {}
    return {
        name: f"{list(shape)} becomes {list(next_shapes[name])}"
        for name, shape in wanted.items()
        if next_shapes and next_shapes[name] != shape
    }


def ignores_initial_size(source: OnnxModel, dims: Mapping[str, int], native: NativeRunner) -> bool | None:
    """Whether the first run gives the same outputs for zero states of the smallest shape and of the full shape.

    None if there is no smaller shape, or if the run fails because the model does not broadcast.
    """
    shapes = {name: array.shape for name, array in first_states(source, dims, native).items()}
    specs = {spec.name: spec for spec in source.signature.inputs}
    smallest = {name: _fixed_shape(specs[name], {}) for name in shapes}
    if smallest == shapes:
        return None
    small, whole = (_run_with_states(source, dims, each, native) for each in (smallest, shapes))
    if small is None or whole is None:
        return None
    return all(np.array_equal(small[name], whole[name], equal_nan=whole[name].dtype.kind == "f") for name in whole)


def _stable_shapes(source: OnnxModel, dims: Mapping[str, int], native: NativeRunner) -> Shapes:
    """Return the stable shapes of the states; the shapes at `dims` if they do not become stable."""
    shapes: Shapes = {name: array.shape for name, array in first_states(source, dims, native).items()}
    smallest = shapes
    for _ in range(_MAX_RUNS):
        next_shapes = _next_shapes(source, dims, shapes, native)
        if next_shapes is None:
            return _inferred_shapes(source, dims)
        if next_shapes == shapes:
            return shapes
        shapes = next_shapes
    return smallest


def _next_shapes(
    source: OnnxModel, dims: Mapping[str, int], shapes: Shapes, native: NativeRunner
) -> dict[str, tuple[int, ...]] | None:
    """Return the output shapes of the states after a run with zeros, by input; None if the run fails."""
    outputs = _run_with_states(source, dims, shapes, native)
    return None if outputs is None else {pair.input: outputs[pair.output].shape for pair in source.states}


def _run_with_states(
    source: OnnxModel, dims: Mapping[str, int], shapes: Shapes, native: NativeRunner
) -> dict[str, NDArray[Any]] | None:
    """Return the outputs for random inputs and zero states, None if the run fails."""
    others = [
        TensorSpec(spec.name, spec.dtype, _fixed_shape(spec, dims))
        for spec in source.signature.inputs
        if spec.name not in shapes
    ]
    states = {name: np.zeros(shape, native.input_dtypes[name]) for name, shape in shapes.items()}
    with suppress(WebbuildError):
        for feeds in feeds_of_each_value(source.signature.file, others, input_ranges(source.model)):
            with suppress(WebbuildError):
                return native.run(
                    {**{name: a.astype(native.input_dtypes[name]) for name, a in feeds.items()}, **states}
                )
    return None


def _inferred_shapes(source: OnnxModel, dims: Mapping[str, int]) -> Shapes:
    """Return the shapes of states inferred from the sizes of the other inputs; 1 for unknown sizes."""
    specs = {spec.name: spec for spec in source.signature.inputs}
    states = {pair.input for pair in source.states}
    others = {key: size for key, size in dims.items() if key.rpartition(":")[0] not in states}
    model = lower(source.model, PassOptions(dims=others), ("wasm",)).graphs["wasm"]  # the passes compute all sizes
    output_shapes = {value.name: value.shape for value in model.graph.outputs}
    shapes: dict[str, tuple[int, ...]] = {}
    for pair in source.states:
        wanted, known = specs[pair.input].shape, tuple(output_shapes.get(pair.output) or ())
        sizes = known if len(known) == len(wanted) else wanted
        shapes[pair.input] = tuple(
            size if isinstance(size, int) else other if isinstance(other, int) else 1
            for size, other in zip(wanted, sizes, strict=True)
        )
    return shapes
