"""Made-up inputs on which the original answers NaN: they say nothing about a rewrite, so others are drawn."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from webbuild.equivalence.check import run_original
from webbuild.equivalence.compare_runs import Tensors
from webbuild.postprocess.reference import add_constant_masks
from webbuild.postprocess.spec import Postprocess
from webbuild.runners.native import NativeRunner
from webbuild.samples.sample import Sample

MAX_ATTEMPTS = 8
"""Draws of an input, the first among them: of a model that answers NaN to half of them, 255 in 256 find another."""


def replace_nan_inputs(
    original: NativeRunner, samples: Sequence[Sample], postprocess: Postprocess | None
) -> tuple[list[Sample], list[str]]:
    """Return the samples, those made up at random drawn again where the original answers NaN, and what was done.

    A sample that gives NaN in every attempt stays as it was: NaN at the same places is equal, and no signal.
    """
    kept: list[Sample] = []
    notes: list[str] = []
    for sample in samples:
        found, attempt = _first_without_nan(original, sample, postprocess)
        kept.append(found)
        if attempt is None:
            notes.append(f"'{sample.name}': the original answers NaN to all {MAX_ATTEMPTS} inputs that were made up")
        elif attempt:
            notes.append(f"'{sample.name}': made up again, since the original answers NaN to attempt {attempt}")
    original.close()
    return kept, notes


def _first_without_nan(
    original: NativeRunner, sample: Sample, postprocess: Postprocess | None
) -> tuple[Sample, int | None]:
    """Return the first draw without NaN, and how many had some; None where all had."""
    if sample.redraw is None:
        return sample, 0
    for attempt in range(MAX_ATTEMPTS):
        feeds = {**sample.feeds, **sample.redraw(attempt)} if attempt else sample.feeds
        if not _has_nan(run_original(original, add_constant_masks(postprocess, feeds))):
            return msgspec.structs.replace(sample, feeds=feeds), attempt
    return sample, None


def _has_nan(outputs: Tensors) -> bool:
    return any(array.dtype.kind == "f" and bool(np.isnan(array).any()) for array in outputs.values())
