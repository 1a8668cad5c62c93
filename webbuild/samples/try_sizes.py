"""Find sizes of free dimensions by trial runs on native ONNX Runtime."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path

import msgspec
import numpy as np

from webbuild.errors import USAGE, WebbuildError
from webbuild.model.conv_channels import conv_channels
from webbuild.model.load import OnnxModel
from webbuild.model.states import without_states
from webbuild.passes.analysis.fixed_size_constant import fixed_size_constant
from webbuild.passes.analysis.input_ranges import input_ranges
from webbuild.runners.native import RESOURCE_ERRORS, NativeRunner
from webbuild.samples.length_ranges import length_ranges
from webbuild.samples.nearest_size import nearest_size
from webbuild.samples.random_inputs import Feeds, feeds_of_each_value, shrunk_feeds
from webbuild.samples.sample_sizes import sample_sizes
from webbuild.samples.state_sizes import has_free_states, with_state_sizes
from webbuild.tasks.options.symbolic_dims import (
    ResolvedDims,
    free_picture_sides,
    is_channel_name,
    resolve_dims,
    sequence_lengths,
    unknown_dims,
)

SIDES = (640, 512, 480, 416, 384, 320, 256, 224)
"""Usual picture sides of exported models, in pixels, tried in this order."""
SMALL_SIDES = (64, 128, 32, 16, 8)
"""Sides of latents and of crops, tried if no picture side runs; 64 are the latents of a picture of 512 pixels."""
LENGTHS = (128, 64, 512, 32, 16, 8, 4, 2, 1, 256, 16_000)
"""Sizes of other free dimensions: tokens, points, a second of audio. Audio is last: as tokens it exhausts memory."""
_SLOW_SECONDS = 0.6
"""If the smallest side takes more CPU time, no larger side is tried: the largest has 8 times the pixels.

CPU time, not wall-clock time, so that a busy machine chooses the same size.
"""
_SECONDS = 20.0
"""CPU time after which no other size is tried."""

Run = Feeds | WebbuildError
"""The outputs of a run, or its error."""


def choose_sizes(
    source: OnnxModel,
    fixed_dims: Mapping[str, int],
    open_native: Callable[[], NativeRunner],
    samples: Sequence[Path] = (),
) -> ResolvedDims:
    """Return a size for every free dimension: from `fixed_dims`, from an .npz sample, or by trial on random inputs.

    - Channels: those of the Conv that reads the input.
    - Picture sides: the first of `SIDES` that runs, as a square; the smallest if that is slow.
      If none runs, the first of `SMALL_SIDES`.
    - States: computed from the other sizes.
    - All others: the first of `LENGTHS` that runs.

    A size is preferred at which the random inputs run as drawn, and no output is all NaN: positions of padding run at
    any length, and the deviation of a single frame is NaN. Without a picture, no output should be all zeros either: a
    frame minus the mean of one frame is zero.

    Raises:
        WebbuildError: the errors of `resolve_dims` and `sample_sizes`; `unknown-dimension` if no size runs; those of
            `open_native`.
    """
    plain = without_states(source.signature, source.states)
    if channels := _free_channels(source, fixed_dims):
        chosen = choose_sizes(source, {**channels, **fixed_dims}, open_native, samples)
        counts = {key.rpartition(":")[0]: count for key, count in channels.items()}
        notes = [f"input '{name}': {count} channels, as its Conv takes" for name, count in counts.items()]
        return msgspec.structs.replace(chosen, assumptions=(*notes, *chosen.assumptions))
    if sample_dims := sample_sizes(plain, samples, fixed_dims):
        chosen = choose_sizes(source, {**sample_dims, **fixed_dims}, open_native)
        sizes_text = ", ".join(f"'{name}' is {size}" for name, size in sample_dims.items())
        return msgspec.structs.replace(chosen, assumptions=(f"{sizes_text}, as in the sample", *chosen.assumptions))
    sides = free_picture_sides(plain, fixed_dims)
    lengths = unknown_dims(plain, {**dict.fromkeys(sides, 1), **fixed_dims})
    stateful = has_free_states(source)
    if not sides and not lengths and not stateful:
        return resolve_dims(source.signature, fixed_dims)
    try:
        native = open_native()
    except WebbuildError as no_session:  # no size can be tried
        try:
            return resolve_dims(source.signature, fixed_dims)
        except WebbuildError:
            raise no_session from None

    def sizes(side: int, length: int) -> ResolvedDims:
        chosen = {**dict.fromkeys(sides, side), **sequence_lengths(plain, lengths, length), **fixed_dims}
        return with_state_sizes(source, chosen, native) if stateful else resolve_dims(source.signature, chosen)

    def seconds(
        side: int, length: int, *, preferred: bool = False, enough: Callable[[Iterable[object]], bool] = all
    ) -> float | None:
        dims, started = sizes(side, length).dims, time.process_time()
        runs = _runs(native, source, dims, shrink=not preferred)
        fits = (
            not isinstance(run, WebbuildError) and not (preferred and _has_empty_output(run, zeros=not sides))
            for run in runs
        )
        return time.process_time() - started if enough(fits) else None

    lengths_to_try = (LENGTHS[:-1] if stateful else LENGTHS) if lengths else ()
    # The last one: the model may reject the other values of a number that it compares.
    for trial in (partial(seconds, preferred=True), seconds, partial(seconds, enough=any)):
        if working := _first_that_runs(trial, bool(sides), lengths_to_try) or (_small(trial) if sides else None):
            break
    native.close()
    if working is None:
        return resolve_dims(source.signature, fixed_dims)
    chosen, notes = sizes(*working), list[str]()
    if sides:
        names = ", ".join(dict.fromkeys(f"'{key.rpartition(':')[0]}'" for key in sides))
        notes.append(f"height and width of {names} are {working[0]}, a size at which native ONNX Runtime runs; ")
        notes[-1] += f"change it with --dim {sides[0]}=N"
    if lengths:
        sizes_text = ", ".join(
            f"'{name}' is {size}" for name, size in sequence_lengths(plain, lengths, working[1]).items()
        )
        notes.append(f"{sizes_text}, a size at which native ONNX Runtime runs; change it with --dim {lengths[0]}=N")
    return msgspec.structs.replace(chosen, assumptions=(*chosen.assumptions, *notes))


def _small(seconds: Callable[[int, int], float | None]) -> tuple[int, int] | None:
    """Return the first of `SMALL_SIDES` that runs, as both side and length."""
    started = time.process_time()
    tried = (size for size in SMALL_SIDES if time.process_time() - started < _SECONDS)
    return next(((size, size) for size in tried if seconds(size, size) is not None), None)


def _free_channels(source: OnnxModel, fixed_dims: Mapping[str, int]) -> dict[str, int]:
    """Return the channels by the weights, without given ones, and without the three that are assumed by name."""
    names = {f"{spec.name}:1": spec.shape[1] for spec in source.signature.inputs if len(spec.shape) > 2}
    return {
        key: count
        for key, count in conv_channels(source.model).items()
        if not {key, names[key]} & fixed_dims.keys() and (count != 3 or not is_channel_name(names[key]))
    }


def check_given_sizes(source: OnnxModel, sizes: ResolvedDims, dims: Mapping[str, int], native: NativeRunner) -> None:
    """Raise if native ONNX Runtime fails at the user's sizes `dims`.

    Raises:
        WebbuildError: `reference-run-too-long`; `one-size-only` if it fails at a constant of another size, else
            `size-fails`.
    """
    error = _run_error(native, source, sizes.dims) if dims else None
    if error is not None and error.code == "reference-run-too-long":
        raise error
    if error is None or error.code not in ("reference-run-failed", "out-of-memory"):
        return
    options = " ".join(f"--dim {name}={size}" for name, size in dims.items())
    if (constant := fixed_size_constant(source.model, error.message)) is not None:
        raise WebbuildError(
            "one-size-only",
            f"{source.path}: the model does not run at this size: {options}: {constant}",
            "give the size of the export, or export the model with position embeddings that are interpolated",
            exit_code=USAGE,
        )

    def error_at(other: Mapping[str, int]) -> WebbuildError | None:
        try:
            return _run_error(native, source, resolve_dims(source.signature, other).dims)
        except WebbuildError as unresolved:  # another dimension has its size only from a sample
            return unresolved

    near = nearest_size(dims, error_at)
    raise WebbuildError(
        "size-fails",
        f"{source.path}: the model does not run at this size: native ONNX Runtime fails at {options}: {error.message}",
        f"{' '.join(f'--dim {name}={size}' for name, size in near.items())} works"
        if near
        else "give sizes that the model can take: those of its export, or multiples of 32 for pictures",
        exit_code=USAGE,
    )


def _run_error(native: NativeRunner, source: OnnxModel, dims: Mapping[str, int]) -> WebbuildError | None:
    """Return the error of a run with random inputs at these sizes, None if any value of a compared number runs."""
    runs = list(_runs(native, source, dims))
    errors = [run for run in runs if isinstance(run, WebbuildError)]
    return errors[0] if len(errors) == len(runs) else None


def _runs(native: NativeRunner, source: OnnxModel, dims: Mapping[str, int], *, shrink: bool = True) -> Iterator[Run]:
    """Yield the run with random inputs at these sizes, for each value of a number that is compared.

    Numbers that are named as a length are as long as their axis.
    """
    fixed = [
        msgspec.structs.replace(
            spec, shape=tuple(dims.get(f"{spec.name}:{axis}", size) for axis, size in enumerate(spec.shape))
        )
        for spec in source.signature.inputs
    ]
    lengths = length_ranges(source.signature, dims).items()
    whole = {name: msgspec.structs.replace(each, low=each.high) for name, each in lengths}
    ranges = {**whole, **input_ranges(source.model)}
    try:
        generated = feeds_of_each_value(source.signature.file, fixed, ranges)
    except WebbuildError as error:
        yield error
        return
    for feeds in generated:
        exact = {name for name, each in ranges.items() if each.values or each.zeros} & feeds.keys()
        closer = ({**each, **{name: feeds[name] for name in exact}} for _, each in shrunk_feeds(feeds))
        yield _run(native, chain([feeds], closer if shrink else ()))


def _run(native: NativeRunner, alternatives: Iterable[Feeds]) -> Run:
    """Return the outputs for the first feeds that run; the first error if none do."""
    failed = None
    for feeds in alternatives:
        try:
            return native.run({name: array.astype(native.input_dtypes[name]) for name, array in feeds.items()})
        except WebbuildError as error:
            failed = failed or error
            if error.code in RESOURCE_ERRORS:
                break
    assert failed is not None
    return failed


def _has_empty_output(outputs: Feeds, *, zeros: bool) -> bool:
    """Whether an output is all NaN or, with `zeros`, all NaN and zeros."""
    arrays = [array for array in outputs.values() if array.size and array.dtype.kind == "f"]
    return any(bool((np.isnan(array) | ((array == 0) & zeros)).all()) for array in arrays)


def _first_that_runs(
    seconds: Callable[[int, int], float | None], sides: bool, lengths: Sequence[int]
) -> tuple[int, int] | None:
    """Return the first side and length that run, None if none does.

    Lengths are tried first, at the smallest side; then larger sides.
    """
    started, smallest = time.process_time(), SIDES[-1]
    for length in lengths or LENGTHS[:1]:
        if (took := seconds(smallest, length)) is not None:
            break
        if time.process_time() - started > _SECONDS:
            return None
    else:
        length = LENGTHS[0]
    if not sides or (took is not None and took > _SLOW_SECONDS):
        return None if took is None else (smallest, length)
    for side in SIDES[:-1]:
        if time.process_time() - started > _SECONDS:
            break
        if seconds(side, length) is not None:
            return side, length
    return None if took is None else (smallest, length)
