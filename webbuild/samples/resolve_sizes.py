"""Resolve a model's sizes: find its states, make Resize scales constant, and choose every free dimension."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from msgspec import Struct

from webbuild.model.load import OnnxModel
from webbuild.model.states import without_states
from webbuild.runners.native import NativeRunner
from webbuild.samples.resolve_states import resolve_states
from webbuild.samples.scale_constants import with_constant_scales
from webbuild.samples.try_sizes import choose_sizes
from webbuild.tasks.options.picture_sizes import PictureSize, with_size
from webbuild.tasks.options.symbolic_dims import ResolvedDims

NO_EXPLICIT_STATES: Mapping[str, str] = MappingProxyType({})
"""The default of `states`: no `--state` option, so states are found by names."""


class ResolvedSizes(Struct, frozen=True):
    """A model with its states and a size for each free dimension; `requested_dims` are the user's."""

    source: OnnxModel
    sizes: ResolvedDims
    requested_dims: Mapping[str, int]


def resolve_sizes(
    source: OnnxModel,
    dims: Mapping[str, int],
    size: PictureSize | None,
    open_native: Callable[[OnnxModel], NativeRunner],
    *,
    states: Mapping[str, str] | None = NO_EXPLICIT_STATES,
    samples: Sequence[Path] = (),
) -> ResolvedSizes:
    """Choose the size of every free dimension: from `dims`, `size`, `samples`, stable states, then by trial.

    Args:
        source: the model.
        dims: sizes of `--dim`, by name or "input:axis".
        size: the picture size.
        open_native: opens a native session of a model.
        states: output by state input, in addition to those found by names; None for a model without states.
        samples: the user's sample files.

    Raises:
        WebbuildError: the errors of `with_size`, `resolve_states` and `choose_sizes`.
    """

    def requested_dims(model: OnnxModel) -> dict[str, int]:
        return with_size(without_states(model.signature, model.states), size, dims)

    def choose(model: OnnxModel) -> ResolvedDims:
        return choose_sizes(model, requested_dims(model), lambda: open_native(model), samples)

    source = with_constant_scales(source, lambda model: resolve_states(model, states, choose, open_native)[1])
    source, sizes = resolve_states(source, states, choose, open_native)
    return ResolvedSizes(source, sizes, requested_dims(source))
