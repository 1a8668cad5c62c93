"""Variants of a mask decoder by number of points: padding points change the output, so each number has a graph.

A decoder with a box input also has a graph for a box alone, without points.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from webbuild.compile.compile_model import CompiledModel
from webbuild.compile.load_model import LoadedModel, resize_model
from webbuild.compile.model_variant import ModelVariant, prefix_errors
from webbuild.model.set_inputs import with_constants
from webbuild.tasks.recognition.sam_decoders import fewest_points, free_counts, point_inputs, prompt_sizes
from webbuild.tasks.registry import kind_of
from webbuild.tasks.task_match import TaskMatch

_MOST_CLICKS = 8
"""Clicks of the longest prompt."""


def with_prompt_variants(
    variants: Sequence[ModelVariant],
    dims: Mapping[str, int],
    compile_single: Callable[[LoadedModel, TaskMatch | None], CompiledModel],
) -> list[ModelVariant]:
    """Return the model with a variant for each further click if the number of points is free; else unchanged."""
    first, *others = variants
    signature = first.loaded.source.signature
    fewest = fewest_points(signature)
    free = free_counts(signature, prompt_sizes(signature, fewest), prompt_sizes(signature, fewest + 1))
    if not kind_of(first.compiled.match.task).needs_earlier or others or not free or dims.keys() & free:
        return list(variants)
    prompt_variants = [msgspec.structs.replace(first, name=f"{fewest} points")]
    for count in range(fewest + 1, fewest + _MOST_CLICKS):
        name = f"{count} points"
        with prefix_errors(name):
            resized = resize_model(first.loaded, {**dims, **prompt_sizes(signature, count)}, None)
            compiled = compile_single(resized, first.compiled.match)
        prompt_variants.append(ModelVariant(resized, compiled, name=name))
    if none := _no_points(first.loaded):
        original = first.loaded.original.with_defaults(none)  # defaults for a run without points
        prompt_variants[0] = msgspec.structs.replace(
            prompt_variants[0], loaded=msgspec.structs.replace(first.loaded, original=original)
        )
        with prefix_errors(name := "0 points"):
            boxed = _without_points(prompt_variants[0].loaded, none)
            prompt_variants.append(ModelVariant(boxed, compile_single(boxed, None), name=name))
    return prompt_variants


def _no_points(loaded: LoadedModel) -> dict[str, NDArray[Any]]:
    """Return empty points and labels, by input name, of a decoder that accepts a box alone; else an empty dict."""
    signature = loaded.source.signature
    dtypes = {spec.name: spec.dtype for spec in signature.inputs}
    return {name: np.zeros(shape, dtypes[name]) for name, shape in point_inputs(signature).items()}


def _without_points(loaded: LoadedModel, none: Mapping[str, NDArray[Any]]) -> LoadedModel:
    """Return a decoder that takes a box and no point: points and labels are constants without elements."""
    # input_points [1, 1, n, 2], input_labels [1, 1, n]  ->  [1, 1, 0, 2], [1, 1, 0]
    sizes = {key: size for key, size in loaded.dims.dims.items() if key.partition(":")[0] not in none}
    dims = msgspec.structs.replace(loaded.dims, dims=sizes)
    return msgspec.structs.replace(loaded, source=with_constants(loaded.source, none, ()), dims=dims)
