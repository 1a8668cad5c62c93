"""Replaces random inputs that prove nothing about a rewrite by other draws.

On these inputs the original fails, or its outputs are NaN or near overflow, or an output is all zeros. An example of
zeros is the count of a token that is not among a few random tokens.
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
"""Draws of an input, including the first: if half of all draws give NaN, 255 of 256 inputs get a draw without NaN."""

MAX_DRAWN_ELEMENTS = 1 << 27
"""Limit of random elements drawn for a sample in all attempts, 40 ns each: a large sample gets fewer attempts."""

_OVERFLOW_MAGNITUDE = 1e30
"""Magnitude above which an output is near overflow."""


def replace_nan_inputs(
    original: NativeRunner, samples: Sequence[Sample], postprocess: Postprocess | None, *, seek_signal: bool = False
) -> tuple[list[Sample], list[str]]:
    """Return the samples, with random ones redrawn if the original fails or returns NaN, and notes on the changes.

    If no other draw works, values are moved towards 1 and towards 0. A sample that gives NaN in every attempt is kept:
    NaN at the same positions counts as equal, without signal. With `seek_signal`, samples are added for outputs that
    are all zeros on every sample.

    Raises:
        WebbuildError: `reference-run-failed` if every attempt fails; `out-of-memory`, `reference-run-too-long`.
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
    """Return the first variant of a sample without NaN in the outputs, a note, and its all-zero outputs."""
    refusal: WebbuildError | None = None
    with_nan: Sample | None = None
    numbers = sum(each.size for each in sample.feeds.values())
    for variant, change in islice(_variants(sample), max(1, MAX_DRAWN_ELEMENTS // max(1, numbers))):
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
    """Yield more draws of a sample with nonzero values in outputs that were all zeros (`silent`), and these outputs."""
    for attempt in range(MAX_ATTEMPTS, 2 * MAX_ATTEMPTS) if sample.redraw is not None else ():
        feeds = {**sample.feeds, **(sample.redraw(attempt) if sample.redraw else {})}
        try:
            outputs = run_original(original, add_constant_masks(postprocess, feeds))
        except WebbuildError as error:
            if error.code in RESOURCE_ERRORS:
                return
            continue
        if not _has_nan(outputs) and (newly_nonzero := silent - _silent(outputs)):
            name = f"{sample.name} (draw {attempt})"
            yield msgspec.structs.replace(sample, name=name, feeds=feeds, redraw=None), sorted(newly_nonzero)
            silent = silent - newly_nonzero
            if not silent:
                return


def _variants(sample: Sample) -> Iterator[tuple[Sample, str]]:
    """Yield a sample, then redrawn samples, then samples scaled towards 1 and 0; each with a note on the change."""
    yield sample, ""
    for attempt in range(1, MAX_ATTEMPTS):
        feeds = {**sample.feeds, **(sample.redraw(attempt) if sample.redraw else {})}
        yield msgspec.structs.replace(sample, feeds=feeds), "drawn again"
    for near, feeds in shrunk_feeds(sample.feeds):
        yield msgspec.structs.replace(sample, feeds=feeds), f"the numbers are {near}"


def _has_nan(outputs: Tensors) -> bool:
    """Whether an output has NaN, or a value near overflow, which another rounding may make infinite."""
    floats = [array for array in outputs.values() if array.dtype.kind == "f"]
    return any(
        bool((np.isnan(each) | (np.isfinite(each) & (np.abs(each) > _OVERFLOW_MAGNITUDE))).any()) for each in floats
    )


def _silent(outputs: Tensors) -> set[str]:
    """Return the outputs that are all zeros."""
    return {name for name, array in outputs.items() if array.dtype.kind in "fiub" and not array.any()}
