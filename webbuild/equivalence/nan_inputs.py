"""Generated inputs with NaN answers, which prove nothing about a rewrite, replaced by other draws.

The original refuses them, or its answers are NaN or about to overflow, or an output is 0 everywhere: how often a token
is there that none of a few at random is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import msgspec
import numpy as np

from webbuild.equivalence.check import run_original
from webbuild.errors import WebbuildError
from webbuild.postprocess.postprocess import Postprocess
from webbuild.postprocess.reference import add_constant_masks
from webbuild.runners.native import RESOURCE_ERRORS, NativeRunner
from webbuild.runners.tensors import Tensors
from webbuild.samples.random_inputs import shrunk_feeds
from webbuild.samples.sample import Sample

MAX_ATTEMPTS = 8
"""Draws of an input, the first among them: of a model that answers NaN to half of them, 255 in 256 find another."""

MOST_NUMBERS = 1 << 27
"""Numbers that are made up for a sample: of a large one fewer draws are tried, at 40 ns a number."""

_LARGEST = 1e30
"""The largest magnitude of an answer that says something."""


def replace_nan_inputs(
    original: NativeRunner, samples: Sequence[Sample], postprocess: Postprocess | None, *, seek_signal: bool = False
) -> tuple[list[Sample], list[str]]:
    """Return the samples, made-up ones drawn again where the original answers NaN or fails, and what was done.

    Where another draw does no better, the numbers are drawn towards 1 and towards 0. A sample that gives NaN in every
    attempt stays as it was: NaN at the same places is equal, and no signal. Where `seek_signal` is set and an output is
    0 everywhere on all samples, more are made up for it.

    Raises:
        WebbuildError: `reference-run-failed` where the original runs in no attempt; `out-of-memory`,
            `reference-run-too-long`.
    """
    replaced: list[Sample] = []
    notes: list[str] = []
    silent: set[str] | None = None
    for sample in samples:
        if sample.redraw is None:
            replaced.append(sample)
            silent = set()
            continue
        sample_with_signal, note, zero = _first_with_signal(original, sample, postprocess)
        replaced.append(sample_with_signal)
        silent = zero if silent is None else silent & zero
        notes += [f"'{sample.name}': {note}"] if note else []
    if seek_signal and silent:
        for more, names in _draws_with_signal(original, replaced[-1], silent, postprocess):
            replaced.append(more)
            notes.append(f"'{more.name}': added, because {', '.join(names)} is 0 everywhere on the other samples")
    original.close()
    return replaced, notes


def _first_with_signal(
    original: NativeRunner, sample: Sample, postprocess: Postprocess | None
) -> tuple[Sample, str, set[str]]:
    """Return the first variant of a sample that the original answers without NaN, what was done, and silent outputs."""
    refusal: WebbuildError | None = None
    with_nan: Sample | None = None
    numbers = sum(each.size for each in sample.feeds.values())
    for variant, change in islice(_variants(sample), max(1, MOST_NUMBERS // max(1, numbers))):
        try:
            outputs = run_original(original, add_constant_masks(postprocess, variant.feeds))
        except WebbuildError as error:
            if error.code in RESOURCE_ERRORS:
                raise
            refusal = refusal or error
            continue
        if not _has_nan(outputs):
            before = "gives NaN or overflows" if with_nan else "fails" if refusal else ""
            note = f"{change}, because the original {before} otherwise" if before else ""
            return variant, note, _silent(outputs)
        with_nan = with_nan or variant
    if with_nan is None and refusal is not None:
        raise refusal
    return with_nan or sample, "the original gives NaN or overflows on every random input", set()


def _draws_with_signal(
    original: NativeRunner, sample: Sample, silent: set[str], postprocess: Postprocess | None
) -> Iterator[tuple[Sample, list[str]]]:
    """Yield more draws of a sample on which outputs that are `silent` so far say something, and which those are."""
    for attempt in range(MAX_ATTEMPTS, 2 * MAX_ATTEMPTS) if sample.redraw is not None else ():
        feeds = {**sample.feeds, **(sample.redraw(attempt) if sample.redraw else {})}
        try:
            outputs = run_original(original, add_constant_masks(postprocess, feeds))
        except WebbuildError as error:
            if error.code in RESOURCE_ERRORS:
                return
            continue
        if not _has_nan(outputs) and (with_signal := silent - _silent(outputs)):
            name = f"{sample.name} (draw {attempt})"
            yield msgspec.structs.replace(sample, name=name, feeds=feeds, redraw=None), sorted(with_signal)
            silent = silent - with_signal
            if not silent:
                return


def _variants(sample: Sample) -> Iterator[tuple[Sample, str]]:
    """Yield a sample, then redrawn samples, then samples scaled towards 1 and 0; each with a note on what was done."""
    yield sample, ""
    for attempt in range(1, MAX_ATTEMPTS):
        feeds = {**sample.feeds, **(sample.redraw(attempt) if sample.redraw else {})}
        yield msgspec.structs.replace(sample, feeds=feeds), "drawn again"
    for near, feeds in shrunk_feeds(sample.feeds):
        yield msgspec.structs.replace(sample, feeds=feeds), f"the numbers are {near}"


def _has_nan(outputs: Tensors) -> bool:
    """Whether an output holds NaN, or a number that is about to overflow: another rounding makes it infinite."""
    floats = [array for array in outputs.values() if array.dtype.kind == "f"]
    return any(bool((np.isnan(each) | (np.isfinite(each) & (np.abs(each) > _LARGEST))).any()) for each in floats)


def _silent(outputs: Tensors) -> set[str]:
    """Return the outputs that are all zeros."""
    return {name for name, array in outputs.items() if array.dtype.kind in "fiub" and not array.any()}
