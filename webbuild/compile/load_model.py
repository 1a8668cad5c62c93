"""Loading: a model that native ONNX Runtime runs, with one size for each free dimension."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import onnx_ir as ir
from msgspec import Struct

from webbuild.compile.mask_decoder import reduce_mask_decoder
from webbuild.equivalence.open_reference import open_reference
from webbuild.inspection.graph import prepare_graph
from webbuild.inspection.reshape_check import check_reshapes
from webbuild.model.load import OnnxModel, load_onnx
from webbuild.model.set_inputs import set_inputs
from webbuild.model.states import without_states
from webbuild.passes.analysis.input_ranges import InputRange, input_ranges
from webbuild.runners.content_cache import ContentCache
from webbuild.runners.memoized import Answer, MemoizedRunner
from webbuild.runners.native import NativeRunner
from webbuild.samples.length_ranges import length_ranges, with_full_lengths
from webbuild.samples.resolve_sizes import NO_EXPLICIT_STATES, resolve_sizes
from webbuild.samples.state_sizes import first_states
from webbuild.samples.try_sizes import check_given_sizes, choose_sizes
from webbuild.tasks.options.picture_sizes import PictureSize, with_size
from webbuild.tasks.options.symbolic_dims import ResolvedDims

if TYPE_CHECKING:
    from webbuild.reporting.progress import ProgressReporter


class LoadedModel(Struct, frozen=True):
    """A model that native ONNX Runtime runs, a size for each free dimension, and the repairs.

    - `ranges`: the value ranges of bounded inputs.
    - `cache`: plans, and outputs of native ONNX Runtime; None without a cache.
    - `checked`: the original's outputs from the run that checked its sizes, by hash of the inputs.
    """

    source: OnnxModel
    original: NativeRunner
    dims: ResolvedDims
    repairs: tuple[str, ...]
    ranges: Mapping[str, InputRange] = {}
    cache: ContentCache | None = None
    checked: Mapping[str, Answer] = {}


def load_model(
    path: Path,
    dims: Mapping[str, int],
    progress: ProgressReporter,
    *,
    values: Mapping[str, str] | None = None,
    size: PictureSize | None = None,
    samples: Sequence[Path] = (),
    states: Mapping[str, str] | None = NO_EXPLICIT_STATES,
    source: OnnxModel | None = None,
    used_outputs: Collection[str] | None = None,
    cache: ContentCache | None = None,
) -> LoadedModel:
    """Load a model, fix the inputs in `values`, and choose its free dimensions: from `dims`, pictures, samples, rules.

    Args:
        path: the model file.
        dims: the user's sizes.
        progress: prints the step.
        values: the inputs that become constants.
        size: the picture size.
        samples: the user's sample files.
        states: outputs by state input, in addition to the pairs found by name; None to pack without states.
        source: the model, if its file has been read.
        used_outputs: the outputs that later stages read; None keeps all inputs and outputs.
        cache: the cache of native ONNX Runtime's outputs.

    Raises:
        WebbuildError: what `load_onnx`, `set_inputs` and `resolve_sizes` raise, `reshape-mismatch`,
            `reference-session-failed`, `one-size-only` or `size-fails`.
    """
    with progress.step(f"load {path.name}"):
        source = set_inputs(source or load_onnx(path), values or {})
        if used_outputs is not None:
            source = reduce_mask_decoder(source, used_outputs)
        resolved = resolve_sizes(
            source, dims, size, lambda model: open_reference(model)[0], states=states, samples=samples
        )
        source, sizes, dims = resolved.source, resolved.sizes, resolved.requested_dims
        prepared = prepare_graph(source.model, sizes.dims)[0]
        check_reshapes(prepared)
        original, repairs = open_reference(source)  # a model that does not run natively is not patched
        original = original.with_outputs(spec.name for spec in source.signature.outputs)
        original, checked = _check_sizes(source, sizes, dims, original, cache)
    ranges = _input_ranges(source, prepared, sizes, original)
    return LoadedModel(source, original, sizes, (*source.repairs, *repairs), ranges, cache, checked)


def with_memoized_original(loaded: LoadedModel) -> LoadedModel:
    """Return the model with a memoizing original. Call it only after compiling: the trials measure time."""
    if isinstance(loaded.original, MemoizedRunner):
        return loaded
    return msgspec.structs.replace(loaded, original=MemoizedRunner(loaded.original, loaded.cache, loaded.checked))


def resize_model(loaded: LoadedModel, dims: Mapping[str, int], size: PictureSize | None) -> LoadedModel:
    """Return a loaded model for other sizes, with the same original.

    Raises:
        WebbuildError: what `with_size` and `choose_sizes` raise, `reshape-mismatch`, `one-size-only` or `size-fails`.
    """
    source, original = loaded.source, loaded.original
    dims = with_size(without_states(source.signature, source.states), size, dims)
    sizes = choose_sizes(source, dims, lambda: original)
    prepared = prepare_graph(source.model, sizes.dims)[0]
    check_reshapes(prepared)
    original, checked = _check_sizes(source, sizes, dims, original, loaded.cache)
    ranges = _input_ranges(source, prepared, sizes, original)
    return msgspec.structs.replace(loaded, original=original, dims=sizes, ranges=ranges, checked=checked)


def _input_ranges(
    source: OnnxModel, prepared: ir.Model, sizes: ResolvedDims, original: NativeRunner
) -> Mapping[str, InputRange]:
    ranges = {**length_ranges(source.signature, sizes.dims), **input_ranges(prepared)}
    return with_full_lengths(ranges, source.signature, sizes.dims, original)


def _check_sizes(
    source: OnnxModel, sizes: ResolvedDims, dims: Mapping[str, int], original: NativeRunner, cache: ContentCache | None
) -> tuple[NativeRunner, Mapping[str, Answer]]:
    """Run the original at the user's sizes; return it with zero states, and its outputs if it has no states."""
    runner = MemoizedRunner(original, cache)
    check_given_sizes(source, sizes, dims, runner)
    original.close()
    states = first_states(source, sizes.dims, original)
    return original.with_defaults(states), {} if states else runner.cached_answers
