"""Sizes for free dimensions, tried on native ONNX Runtime: height and width of pictures, and those that were given."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import msgspec

from webbuild.errors import USAGE, WebbuildError
from webbuild.model.load import OnnxModel
from webbuild.passes.analysis.input_ranges import input_ranges
from webbuild.runners.native import NativeRunner
from webbuild.samples.random_inputs import random_feeds, shrunk_feeds
from webbuild.tasks.symbolic_dims import ResolvedDims, free_picture_sides, resolve_dims

SIDES = (640, 512, 480, 416, 384, 320, 256, 224)
"""Pixels of a side that people export for."""
_SLOW_SECONDS = 0.3
"""Of a run at the smallest side, from which on no larger one is tried: the largest has 8 times the pixels."""
_SECONDS = 20.0
"""After which no other side is tried."""


def choose_sizes(source: OnnxModel, given: Mapping[str, int], open_native: Callable[[], NativeRunner]) -> ResolvedDims:
    """Return a size for every free dimension; free heights and widths of pictures are tried.

    They become the first of `SIDES` at which native ONNX Runtime runs the model on made-up numbers: squares, the
    largest first, but the smallest where a run takes long even there.

    Raises:
        WebbuildError: what `resolve_dims` raises, and `unknown-dimension` too where no side runs.
    """
    sides = free_picture_sides(source.signature, given)
    if not sides:
        return resolve_dims(source.signature, given)
    resolve_dims(source.signature, {**dict.fromkeys(sides, 1), **given})  # what nothing says is an error at once
    try:
        native = open_native()
    except WebbuildError:  # without a session nothing is tried
        return resolve_dims(source.signature, given)

    def seconds(side: int) -> float | None:
        started = time.monotonic()
        dims = resolve_dims(source.signature, {**dict.fromkeys(sides, side), **given}).dims
        return None if run_error(native, source, dims) else time.monotonic() - started

    side = _first_side(seconds)
    native.close()
    if side is None:
        return resolve_dims(source.signature, given)
    found = resolve_dims(source.signature, {**dict.fromkeys(sides, side), **given})
    names = ", ".join(dict.fromkeys(f"'{key.rpartition(':')[0]}'" for key in sides))
    said = (
        f"height and width of {names} are {side}, at which native ONNX Runtime runs; --dim {sides[0]}=N gives another"
    )
    return msgspec.structs.replace(found, assumptions=(*found.assumptions, said))


def check_given_sizes(source: OnnxModel, sizes: ResolvedDims, given: Mapping[str, int], native: NativeRunner) -> None:
    """Raise where native ONNX Runtime fails at sizes that were given.

    Raises:
        WebbuildError: `size-fails`.
    """
    error = run_error(native, source, sizes.dims) if given else None
    if error is not None and error.code == "reference-run-failed":
        asked = " ".join(f"--dim {name}={size}" for name, size in given.items())
        raise WebbuildError(
            "size-fails",
            f"{source.path}: this size cannot work: native ONNX Runtime fails at {asked}: {error.message}",
            "give sizes that the model can take: those of its export, or multiples of 32 for pictures",
            exit_code=USAGE,
        )


def run_error(native: NativeRunner, source: OnnxModel, dims: Mapping[str, int]) -> WebbuildError | None:
    """Return why the model does not run in these sizes on made-up numbers, None where it does."""
    fixed = [
        msgspec.structs.replace(
            spec, shape=tuple(dims.get(f"{spec.name}:{axis}", size) for axis, size in enumerate(spec.shape))
        )
        for spec in source.signature.inputs
    ]
    failed = None
    try:
        made_up = random_feeds(source.signature.file, fixed, input_ranges(source.model))
    except WebbuildError as error:
        return error
    for feeds in (made_up, *(each for _, each in shrunk_feeds(made_up))):
        try:
            native.run({name: array.astype(native.input_dtypes[name]) for name, array in feeds.items()})
        except WebbuildError as error:
            failed = failed or error
        else:
            return None
    return failed


def _first_side(seconds: Callable[[int], float | None]) -> int | None:
    """Return the first side that runs; the smallest is tried before all others."""
    started, smallest = time.monotonic(), seconds(SIDES[-1])
    if smallest is not None and smallest > _SLOW_SECONDS:
        return SIDES[-1]
    for side in SIDES[:-1]:
        if time.monotonic() - started > _SECONDS:
            break
        if seconds(side) is not None:
            return side
    return None if smallest is None else SIDES[-1]
