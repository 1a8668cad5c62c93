"""The variant of a mask decoder that segments several objects per run, for a grid of clicks."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from webbuild.compile.compile_model import CompiledModel
from webbuild.compile.load_model import LoadedModel, resize_model
from webbuild.compile.model_variant import ModelVariant, prefix_errors
from webbuild.errors import USAGE, WebbuildError
from webbuild.model.signature import ModelSignature
from webbuild.samples.random_inputs import random_feeds
from webbuild.tasks.recognition.sam_decoders import decoder_outputs, fewest_points, free_counts, prompt_sizes
from webbuild.tasks.registry import kind_of
from webbuild.tasks.task_match import TaskMatch

OBJECTS = 16
"""Objects per run: their logits of 256 x 256 take 12 MiB, and a grid of 32 x 32 clicks takes 64 runs."""
_CLOSE = 1e-3
"""Tolerance between outputs of a batch and of single runs, relative to the largest magnitude."""


def with_object_variant(
    variants: Sequence[ModelVariant],
    dims: Mapping[str, int],
    compile_single: Callable[[LoadedModel, TaskMatch | None], CompiledModel],
) -> list[ModelVariant]:
    """Return the variants of a mask decoder, and one for a click on each of several objects if their number is free.

    It is left out if outputs of a batch differ from outputs of single runs, or if every prompt needs a box.
    """
    first = variants[0]
    signature = first.loaded.source.signature
    points = fewest_points(signature)
    sizes = prompt_sizes(signature, points, OBJECTS)
    free = free_counts(signature, prompt_sizes(signature, points), sizes)
    boxed = any(spec.name == "input_boxes" for spec in signature.inputs)
    if not kind_of(first.compiled.match.task).needs_earlier or not free or dims.keys() & free or boxed:
        return list(variants)
    with prefix_errors(name := f"{OBJECTS} objects"):
        if (why := _why_one_object(first.loaded, sizes)) is not None:
            return [_with_assumption(first, f"clicks on several objects take one run each: {why}"), *variants[1:]]
        resized = resize_model(first.loaded, {**dims, **sizes}, None)
        compiled = compile_single(resized, first.compiled.match)
    return [*variants, ModelVariant(resized, compiled, name=name)]


def check_one_object(signature: ModelSignature, dims: Mapping[str, int]) -> None:
    """Check that `--dim` does not set several objects for a mask decoder: a prompt has one object.

    Raises:
        WebbuildError: `conflicting-options`.
    """
    points = fewest_points(signature)
    free = free_counts(signature, prompt_sizes(signature, points), prompt_sizes(signature, points, OBJECTS))
    for name in sorted(free & dims.keys()):
        if dims[name] > 1:
            raise WebbuildError(
                "conflicting-options",
                f"--dim {name}={dims[name]}: a prompt, with its clicks and its box, is of one object",
                "leave it out, and call scene.segment() for each object",
                exit_code=USAGE,
            )


def _with_assumption(variant: ModelVariant, note: str) -> ModelVariant:
    compiled = msgspec.structs.replace(variant.compiled, assumptions=(*variant.compiled.assumptions, note))
    return msgspec.structs.replace(variant, compiled=compiled)


def _why_one_object(loaded: LoadedModel, sizes: Mapping[str, int]) -> str | None:
    """Return why a batch of objects gives other outputs than single runs, None if the outputs agree."""
    signature, native = loaded.source.signature, loaded.original
    free = {key for key, size in sizes.items() if size == OBJECTS}
    specs = [
        msgspec.structs.replace(
            spec, shape=tuple(sizes.get(f"{spec.name}:{axis}", size) for axis, size in enumerate(spec.shape))
        )
        for spec in signature.inputs
    ]
    feeds = random_feeds(signature.file, specs, loaded.ranges)
    try:
        together, one_by_one = (
            native.run(feeds),
            [native.run(_feeds_of_object(feeds, free, at)) for at in range(OBJECTS)],
        )
    except WebbuildError as error:
        return f"the model does not run with {OBJECTS} together: {_describe_error(error)}"
    finally:
        native.close()
    for name in decoder_outputs(signature) or ():
        want = np.stack([each[name].reshape(together[name].size // OBJECTS) for each in one_by_one])
        got = together[name].reshape(want.shape)
        if not want.any():
            return f"'{name}' is 0 on random inputs, which proves nothing"
        if not np.abs(got - want).max() <= _CLOSE * np.abs(want).max():
            return f"'{name}' of {OBJECTS} together differs from single runs"
    return None


def _describe_error(error: WebbuildError) -> str:
    """Return the failing node from an error of ONNX Runtime, without the source locations in it."""
    node = re.search(r"running (\w+) node\. Name:'([^']*)'", error.message)
    if error.code != "reference-run-failed" or node is None:
        return error.message
    which = f"node '{node[2]}', {node[1]}," if node[2] else f"a {node[1]}"
    return f"{which} of the export takes only one object"


def _feeds_of_object(feeds: Mapping[str, NDArray[Any]], free: set[str], at: int) -> dict[str, NDArray[Any]]:
    """Return the feeds of one object out of a batch."""
    alone = dict(feeds)
    for key in free:
        name, _, axis = key.rpartition(":")
        alone[name] = np.take(feeds[name], [at], int(axis))
    return alone
