"""A mask decoder for each number of points: what a prompt is padded with changes the answer, so each has a graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from webbuild.compile.compile_model import CompiledModel
from webbuild.compile.load_model import LoadedModel, resize_model
from webbuild.compile.model_variant import ModelVariant, naming_variant
from webbuild.tasks.registry import kind_of
from webbuild.tasks.sam_decoders import fewest_points, prompt_sizes
from webbuild.tasks.task_match import TaskMatch

MOST_CLICKS = 8
"""Clicks of the longest prompt."""


def with_prompt_variants(
    variants: Sequence[ModelVariant],
    dims: Mapping[str, int],
    compile_single: Callable[[LoadedModel, TaskMatch | None], CompiledModel],
) -> list[ModelVariant]:
    """Return the model with a variant for each further click, where the number of points is free; else as it is."""
    first, *others = variants
    signature = first.loaded.source.signature
    fewest = fewest_points(signature)
    free = prompt_sizes(signature, fewest)
    asked = dims.keys() & {dim for spec in signature.inputs for dim in (*spec.shape, *free)}
    if (
        not kind_of(first.compiled.match.task).needs_earlier
        or others
        or asked
        or free == prompt_sizes(signature, fewest + 1)
    ):
        return list(variants)
    made = [msgspec.structs.replace(first, name=f"{fewest} points")]
    for count in range(fewest + 1, fewest + MOST_CLICKS):
        name = f"{count} points"
        with naming_variant(name):
            resized = resize_model(first.loaded, {**dims, **prompt_sizes(signature, count)}, None)
            compiled = compile_single(resized, first.compiled.match)
        made.append(ModelVariant(resized, compiled, name=name))
    return made
