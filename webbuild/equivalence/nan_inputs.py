"""Made-up inputs that say nothing about a rewrite, and others in their place.

The original refuses them, or its answers are NaN or about to overflow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from webbuild.equivalence.check import run_original
from webbuild.equivalence.compare_runs import Tensors
from webbuild.errors import WebbuildError
from webbuild.postprocess.reference import add_constant_masks
from webbuild.postprocess.spec import Postprocess
from webbuild.runners.native import NativeRunner
from webbuild.samples.random_inputs import shrunk_feeds
from webbuild.samples.sample import Sample

MAX_ATTEMPTS = 8
"""Draws of an input, the first among them: of a model that answers NaN to half of them, 255 in 256 find another."""

_LARGEST = 1e30
"""The largest magnitude of an answer that says something."""


def replace_nan_inputs(
    original: NativeRunner, samples: Sequence[Sample], postprocess: Postprocess | None
) -> tuple[list[Sample], list[str]]:
    """Return the samples, made-up ones drawn again where the original answers NaN or fails, and what was done.

    Where another draw does no better, the numbers are drawn towards 1 and towards 0. A sample that gives NaN in every
    attempt stays as it was: NaN at the same places is equal, and no signal.

    Raises:
        WebbuildError: `reference-run-failed` where the original runs in no attempt.
    """
    kept: list[Sample] = []
    notes: list[str] = []
    for sample in samples:
        found, note = (sample, "") if sample.redraw is None else _first_with_signal(original, sample, postprocess)
        kept.append(found)
        notes += [f"'{sample.name}': {note}"] if note else []
    original.close()
    return kept, notes


def _first_with_signal(original: NativeRunner, sample: Sample, postprocess: Postprocess | None) -> tuple[Sample, str]:
    """Return the first variant of a sample that the original answers without NaN, and what was done."""
    refusal: WebbuildError | None = None
    with_nan: Sample | None = None
    for variant, said in _variants(sample):
        try:
            outputs = run_original(original, add_constant_masks(postprocess, variant.feeds))
        except WebbuildError as error:
            refusal = refusal or error
            continue
        if not _has_nan(outputs):
            before = "answers NaN or overflows" if with_nan else "fails" if refusal else ""
            return variant, f"{said}, since the original {before} before that" if before else ""
        with_nan = with_nan or variant
    if with_nan is None and refusal is not None:
        raise refusal
    return with_nan or sample, "the original answers NaN or overflows, whatever is made up"


def _variants(sample: Sample) -> Iterator[tuple[Sample, str]]:
    """Yield a sample, with other draws of its feeds, and with them nearer to 1 and 0; and what was done."""
    yield sample, ""
    for attempt in range(1, MAX_ATTEMPTS):
        feeds = {**sample.feeds, **(sample.redraw(attempt) if sample.redraw else {})}
        yield msgspec.structs.replace(sample, feeds=feeds), "made up again"
    for near, feeds in shrunk_feeds(sample.feeds):
        yield msgspec.structs.replace(sample, feeds=feeds), f"the numbers are {near}"


def _has_nan(outputs: Tensors) -> bool:
    """Whether an output holds NaN, or a number that is about to overflow: another rounding makes it infinite."""
    floats = [array for array in outputs.values() if array.dtype.kind == "f"]
    return any(bool((np.isnan(each) | (np.isfinite(each) & (np.abs(each) > _LARGEST))).any()) for each in floats)
