"""Sizes of a model: its states, its Resize scales as constants, and a size for every free dimension."""

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

NAMES_ALONE: Mapping[str, str] = MappingProxyType({})
"""What is given where names alone say what is a state."""


class ResolvedSizes(Struct, frozen=True):
    """A model with its states, a size for each free dimension, and those of the sizes that were given."""

    source: OnnxModel
    sizes: ResolvedDims
    given: Mapping[str, int]


def resolve_sizes(
    source: OnnxModel,
    dims: Mapping[str, int],
    size: PictureSize | None,
    open_native: Callable[[OnnxModel], NativeRunner],
    *,
    states: Mapping[str, str] | None = NAMES_ALONE,
    samples: Sequence[Path] = (),
) -> ResolvedSizes:
    """Choose the sizes of a model: of `dims`, pictures of a `size`, samples, states that last, the rest.

    Args:
        source: the model.
        dims: given sizes, by name or "input:axis".
        size: of pictures.
        open_native: opens a model, to run it.
        states: outputs by the inputs that take them in the next run, besides those that names tell; None for none.
        samples: files that were given.

    Raises:
        WebbuildError: what `with_size`, `resolve_states` and `choose_sizes` raise.
    """

    def given(model: OnnxModel) -> dict[str, int]:
        return with_size(without_states(model.signature, model.states), size, dims)

    def choose(model: OnnxModel) -> ResolvedDims:
        return choose_sizes(model, given(model), lambda: open_native(model), samples)

    source = with_constant_scales(source, lambda model: resolve_states(model, states, choose, open_native)[1])
    source, sizes = resolve_states(source, states, choose, open_native)
    return ResolvedSizes(source, sizes, given(source))
