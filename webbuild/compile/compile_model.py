"""Load a model, recognise its task, and lower it to one graph per target: in memory, before anything is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from webbuild.bundle.graphs import option_inputs
from webbuild.compile.answer_warnings import find_answer_warnings
from webbuild.compile.infer_task import (
    infer_missing_postprocess,
    infer_task,
    require_postprocess,
    task_of_labels,
    with_inputs_of,
    with_int32_inputs,
)
from webbuild.compile.measured_head import with_measured_head
from webbuild.compile.picture_input import (
    find_picture_input,
    with_open_channel,
    with_picture_input,
    with_tried_recipe,
)
from webbuild.compile.size_input_order import with_measured_size_order
from webbuild.equivalence.detection_thresholds import open_reference
from webbuild.inspection.cpu_fallback import FallbackPlan, apply_cpu_fallback, check_wasm_session
from webbuild.inspection.graph import prepare_graph
from webbuild.inspection.reshape_check import check_reshapes
from webbuild.manifest.manifest import ImageInput, TensorInput
from webbuild.model.load import OnnxModel, load_onnx
from webbuild.model.set_inputs import set_inputs
from webbuild.passes.analysis.input_ranges import InputRange, input_ranges
from webbuild.passes.base import NmsPlacement, PassOptions
from webbuild.passes.lower import TARGETS, LoweredGraphs, lower
from webbuild.passes.nms.status_output import HEAD_STATUS_KEY
from webbuild.runners.native import NativeRunner
from webbuild.samples.native_sizes import check_given_sizes, choose_sizes
from webbuild.targets.table import find_table
from webbuild.targets.target import Target
from webbuild.tasks.picture_batches import no_batch
from webbuild.tasks.picture_sizes import PictureSize, with_size
from webbuild.tasks.symbolic_dims import ResolvedDims, takes_prompt
from webbuild.tasks.user_overrides import Overrides, apply_overrides

if TYPE_CHECKING:
    from webbuild.manifest.manifest import DisabledTarget, OptionInput, TargetName
    from webbuild.postprocess.spec import Postprocess
    from webbuild.reporting.progress import ProgressReporter
    from webbuild.tasks.base import TaskMatch


class LoadedModel(Struct, frozen=True):
    """A model that native ONNX Runtime takes, a size for each of its free dimensions, and what had to be repaired.

    `ranges` are those of its inputs that may not hold just any number.
    """

    source: OnnxModel
    original: NativeRunner
    dims: ResolvedDims
    repairs: tuple[str, ...]
    ranges: Mapping[str, InputRange] = {}


class CompiledModel(Struct, frozen=True):
    """The patched graphs for a build of the engine, and what the model is with them.

    `options` are the thresholds that became inputs. `postprocess` is the post-processing that the original lacks.
    `disabled_target` is why the build must not run its graph, and takes the one for WASM instead. `warnings` speak
    against its answers.
    """

    lowered: LoweredGraphs
    match: TaskMatch
    options: tuple[OptionInput, ...]
    assumptions: tuple[str, ...]
    postprocess: Postprocess | None
    disabled_target: DisabledTarget | None
    warnings: tuple[str, ...] = ()

    @property
    def targets(self) -> tuple[TargetName, ...]:
        """The targets that get a graph."""
        return TARGETS if self.disabled_target is None else ("wasm",)

    @property
    def disabled_targets(self) -> tuple[DisabledTarget, ...]:
        """Those that get none, and why."""
        return () if self.disabled_target is None else (self.disabled_target,)


def load_model(
    path: Path,
    dims: Mapping[str, int],
    progress: ProgressReporter,
    values: Mapping[str, str] | None = None,
    size: PictureSize | None = None,
    samples: Sequence[Path] = (),
) -> LoadedModel:
    """Load a model, set its inputs of `values`, and choose its sizes: of `dims`, pictures, samples, the rest.

    Raises:
        WebbuildError: what `load_onnx`, `set_inputs`, `with_size` and `choose_sizes` raise, `reshape-mismatch`,
            `reference-session-failed`, `one-size-only` or `size-fails`.
    """
    with progress.step(f"load {path.name}"):
        source = set_inputs(load_onnx(path), values or {})
        dims = with_size(source.signature, size, dims)
        sizes = choose_sizes(source, dims, lambda: open_reference(source)[0], samples)
        prepared = prepare_graph(source.model, sizes.dims)[0]
        check_reshapes(prepared)
        original, repairs = open_reference(source)  # what does not run as it is need not be patched
        check_given_sizes(source, sizes, dims, original)
        original.close()
    return LoadedModel(source, original, sizes, (*source.repairs, *repairs), input_ranges(prepared))


def resize_model(loaded: LoadedModel, dims: Mapping[str, int], size: PictureSize | None) -> LoadedModel:
    """Return a loaded model for other sizes, with the same original.

    Raises:
        WebbuildError: what `with_size` and `choose_sizes` raise, `reshape-mismatch`, `one-size-only` or `size-fails`.
    """
    source, original = loaded.source, loaded.original
    dims = with_size(source.signature, size, dims)
    sizes = choose_sizes(source, dims, lambda: original)
    prepared = prepare_graph(source.model, sizes.dims)[0]
    check_reshapes(prepared)
    check_given_sizes(source, sizes, dims, original)
    original.close()
    return msgspec.structs.replace(loaded, dims=sizes, ranges=input_ranges(prepared))


def compile_model(
    loaded: LoadedModel,
    target: Target,
    *,
    task: str | None,
    nms: NmsPlacement,
    wanted: Overrides,
    progress: ProgressReporter,
    int32_inputs: bool = True,
    like: TaskMatch | None = None,
) -> CompiledModel:
    """Plan the patches for a target, and recognise what the model is.

    Without `int32_inputs` no input of int64 becomes int32: who takes the graph alone feeds it what the original took.
    `like` is what the model is at another size: its inputs are taken, with the shapes of this one.

    Raises:
        WebbuildError: `task-mismatch`, `unsupported-dtype`, `class-count-mismatch`, `postprocess-not-appended`,
            `reshape-mismatch`,
            `no-compatible-build`, `input-too-large`, `size-fails`, and what `override` raises.
    """
    source, dims = loaded.source, loaded.dims.dims
    with progress.step("plan the patches"):
        if task is None and wanted.labels is not None:
            task = task_of_labels(source, dims, len(wanted.labels))
        unprocessed = None if nms == "keep" else infer_missing_postprocess(source, dims, task)
        unprocessed = unprocessed and with_measured_size_order(unprocessed, loaded.original)
        headless = unprocessed
        unprocessed = unprocessed and with_measured_head(unprocessed, loaded.original)
        complete = headless is not None and unprocessed is None
        missing = None if unprocessed is None else unprocessed.postprocess
        planned, kept = _plan(loaded, target, missing, nms, int32_inputs=int32_inputs)
    plain = nms == "keep" and takes_prompt(source.signature)  # whose tokenizer only a page needs
    known = unprocessed or infer_task(source, planned, "tensor" if plain else task, complete=complete)
    if nms == "keep" and known.postprocess is not None:
        known = infer_task(source, planned, "tensor")
    require_postprocess(known, planned)
    known = with_int32_inputs(known, planned.graphs["wasm"])
    image = find_picture_input(known) if wanted.guess_pictures and like is None else None
    if like is not None:
        known = with_inputs_of(known, like)
    elif image is None:
        known = with_open_channel(known)
    else:
        with progress.step("try how pictures go in"):
            known = with_picture_input(known, image, planned.graphs["wasm"], loaded.original)
    if known.guessed_recipe and like is None and not wanted.note:
        with progress.step("try how pictures go in"):
            known = with_tried_recipe(known, planned.graphs["wasm"], loaded.original)
    known = apply_overrides(known, wanted)
    thresholds = tuple(option_inputs(planned.graphs["webgpu"]))
    bounded = {spec.name for spec in known.inputs if isinstance(spec, TensorInput)}
    ranges = [f"made-up numbers of '{name}': {each}" for name, each in loaded.ranges.items() if name in bounded]
    assumptions = (*loaded.repairs, *loaded.dims.assumptions, *known.assumptions, *ranges)
    warnings = find_answer_warnings(known, loaded.original)
    return CompiledModel(planned, known, thresholds, assumptions, missing, kept.disabled, warnings)


def compile_batch(
    loaded: LoadedModel, target: Target, single: CompiledModel, batch: int, *, nms: NmsPlacement
) -> CompiledModel:
    """Plan the patches of a model for several pictures in one run, which is what `single` is for one.

    Raises:
        WebbuildError: `fixed-batch` where an output has not an answer for each picture; what `compile_model` raises of
            the graphs.
    """
    planned, kept = _plan(loaded, target, None, nms, int32_inputs=True)
    if single.postprocess is not None or any(
        HEAD_STATUS_KEY in each.metadata_props for each in planned.graphs.values()
    ):
        raise no_batch(batch, f"{loaded.source.path}: its suppression is for one picture")
    for model in planned.graphs.values():
        wanted = {value.name: value.shape for value in single.lowered.graphs["wasm"].graph.outputs}
        for value in model.graph.outputs:
            one, own = (() if shape is None else tuple(shape) for shape in (wanted.get(value.name), value.shape))
            if one[:1] != (1,) or own != (batch, *one[1:]):
                shapes = f"{list(own)} for {batch} pictures, {list(one)} for one"
                raise no_batch(batch, f"{loaded.source.path}: output '{value.name}' is {shapes}")
    inputs = tuple(
        msgspec.structs.replace(spec, shape=[batch, *spec.shape[1:]]) if isinstance(spec, ImageInput) else spec
        for spec in single.match.inputs
    )
    pictures = sum(isinstance(spec, ImageInput) for spec in inputs)
    if pictures != 1:
        raise no_batch(batch, f"{loaded.source.path}: run() gives it one picture, it takes {pictures}")
    match = msgspec.structs.replace(single.match, inputs=inputs)
    return msgspec.structs.replace(single, lowered=planned, match=match, disabled_target=kept.disabled)


def _plan(
    loaded: LoadedModel, target: Target, missing: Postprocess | None, nms: NmsPlacement, *, int32_inputs: bool
) -> tuple[LoweredGraphs, FallbackPlan]:
    """Return the patched graphs, and what of them stays on the CPU."""
    table = find_table(target)
    options = PassOptions(
        dims=loaded.dims.dims, missing_postprocess=missing, table=table, nms=nms, int32_inputs=int32_inputs
    )
    planned = lower(loaded.source.model, options)
    kept = FallbackPlan() if table is None else apply_cpu_fallback(planned.graphs["webgpu"], table)
    planned = planned.with_rewrites("webgpu", kept.rewrites)
    wasm = find_table(Target(target.version, "wasm"))
    if kept.disabled is not None and wasm is not None:
        check_wasm_session(planned.graphs["wasm"], wasm, kept.disabled)
    check_reshapes(planned.graphs["wasm"])  # with every shape folded that could be
    return planned, kept
