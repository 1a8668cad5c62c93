"""Load a model, recognise its task, and lower it to one graph per target: in memory, before anything is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from webbuild.bundle.graphs import option_inputs
from webbuild.compile.answer_warnings import find_answer_warnings
from webbuild.compile.infer_task import (
    finds_keypoints,
    infer_missing_postprocess,
    infer_task,
    patched_signature,
    require_postprocess,
    task_of_labels,
    with_inputs_of,
    with_int32_inputs,
)
from webbuild.compile.joined_tensors import with_joined_tensors
from webbuild.compile.load_model import LoadedModel
from webbuild.compile.measured_head import with_measured_head
from webbuild.compile.measured_values import with_measured_values
from webbuild.compile.picture_input import (
    find_picture_input,
    with_open_channel,
    with_picture_input,
    with_tried_recipe,
)
from webbuild.compile.picture_output import find_picture_output, with_measured_picture
from webbuild.compile.plan_graphs import plan_graphs
from webbuild.compile.size_input_order import with_measured_size_order
from webbuild.compile.stages.graph_normalization import with_crop_normalization, with_graph_normalization
from webbuild.compile.stages.links import StageLinks
from webbuild.compile.state_inputs import with_state_inputs
from webbuild.compile.tiles import with_tiles
from webbuild.compile.zero_shot import infer_zero_shot
from webbuild.manifest.manifest import TensorInput
from webbuild.passes.base import NmsPlacement
from webbuild.passes.lower import TARGETS, LoweredGraphs
from webbuild.targets.target import Target
from webbuild.tasks.options.symbolic_dims import takes_prompt
from webbuild.tasks.options.user_overrides import Overrides, apply_overrides
from webbuild.tasks.registry import kind_of

if TYPE_CHECKING:
    import onnx_ir as ir

    from webbuild.inspection.result import Inspection
    from webbuild.manifest.manifest import DisabledTarget, OptionInput, TargetName
    from webbuild.postprocess.postprocess import Postprocess
    from webbuild.reporting.progress import ProgressReporter
    from webbuild.tasks.task_match import TaskMatch


class CompiledModel(Struct, frozen=True):
    """The patched graphs for a build of the engine, and what the model is with them.

    `options` are the thresholds that became inputs. `postprocess` is the post-processing that the original lacks.
    `disabled_target` is why the build must not run its graph, and takes the one for WASM instead. `warnings` speak
    against its answers. `inspection` is that of the graph for WebGPU, None where its target was not measured.
    """

    lowered: LoweredGraphs
    match: TaskMatch
    options: tuple[OptionInput, ...]
    assumptions: tuple[str, ...]
    postprocess: Postprocess | None
    disabled_target: DisabledTarget | None
    warnings: tuple[str, ...] = ()
    inspection: Inspection | None = None

    @property
    def targets(self) -> tuple[TargetName, ...]:
        """The targets that get a graph."""
        return TARGETS if self.disabled_target is None else ("wasm",)

    @property
    def disabled_targets(self) -> tuple[DisabledTarget, ...]:
        """Those that get none, and why."""
        return () if self.disabled_target is None else (self.disabled_target,)


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
    links: StageLinks | None = None,
) -> CompiledModel:
    """Plan the patches for a target, and recognise what the model is.

    Without `int32_inputs` no input of int64 becomes int32: who takes the graph alone feeds it what the original took.
    `like` is what the model is at another size: its inputs are taken, with the shapes of this one. `links` are those
    of one of several stages.

    Raises:
        WebbuildError: `task-mismatch`, `unsupported-dtype`, `class-count-mismatch`, `postprocess-not-appended`,
            `reshape-mismatch`,
            `no-compatible-build`, `input-too-large`, `size-fails`, `stage-mismatch`, and what `override` raises.
    """
    source, dims = loaded.source, loaded.dims.dims
    task = "tensor" if task is None and links is not None and links.later else task
    with progress.step("plan the patches"):
        if task is None and links is not None and finds_keypoints(source, dims, links.keypoints):
            task = "pose"
        if task is None and wanted.labels is not None:
            task = task_of_labels(source, dims, wanted.labels)
        if wanted.known is not None:
            unprocessed: TaskMatch | None = wanted.known
        elif wanted.text_labels is not None:
            unprocessed = infer_zero_shot(source, dims, wanted.text_labels)
        else:
            unprocessed = None if nms == "keep" else infer_missing_postprocess(source, dims, task)
        unprocessed = unprocessed and with_measured_size_order(unprocessed, loaded.original)
        headless = unprocessed
        unprocessed = unprocessed and with_measured_head(unprocessed, loaded.original)
        complete = headless is not None and unprocessed is None
        missing = None if unprocessed is None else unprocessed.postprocess
        planned, kept = plan_graphs(loaded, target, missing, nms, int32_inputs=int32_inputs)
    plain = nms == "keep" and takes_prompt(source.signature)  # whose tokenizer only a page needs
    known = unprocessed or infer_task(source, planned, "tensor" if plain else task, complete=complete)
    if nms == "keep" and known.postprocess is not None:
        known = infer_task(source, planned, "tensor")
    if kind_of(known.task).needs_earlier and links is None and task is None:
        known = infer_task(source, planned, "tensor")
    require_postprocess(known, planned)
    if links is not None and links.later and task == "tensor":
        earlier = links.earlier_stage(patched_signature(source, planned.graphs["wasm"]))
        known = known if earlier is None else with_graph_normalization(earlier, source.model)
    known = with_int32_inputs(known, planned.graphs["wasm"])
    if links is None:
        known = with_crop_normalization(known, source.model)
    else:
        seen = patched_signature(source, planned.graphs["wasm"])
        known = links.with_stage_inputs(known, seen, source.model)
    told, known = known, _with_pictures(known, planned.graphs["wasm"], loaded, wanted, progress, task, like)
    known = known if links is None else links.without_task_hint(known)
    if known.measured_output and like is None:
        with progress.step("measure the values of outputs"):
            known = with_measured_values(known, loaded.original)
    if known.measured_output and like is not None:
        known = msgspec.structs.replace(known, task=like.task)
    known = apply_overrides(with_joined_tensors(known, planned.graphs["wasm"]), wanted)
    if kind_of(told.task).makes_picture and like is None:
        with progress.step("try what becomes of pictures"):
            configured = bool(wanted.note)
            known = with_measured_picture(known, planned.graphs["wasm"], loaded.original, configured=configured)
    known = with_state_inputs(known, source.states, planned.graphs["wasm"])
    known = with_tiles(known, planned.graphs["wasm"], loaded.original, progress)
    thresholds = tuple(option_inputs(planned.graphs["webgpu"]))
    bounded = {spec.name for spec in known.inputs if isinstance(spec, TensorInput)}
    ranges = [f"random values of '{name}': {each}" for name, each in loaded.ranges.items() if name in bounded]
    assumptions = (*loaded.repairs, *loaded.dims.assumptions, *known.assumptions, *ranges)
    warnings = (*source.warnings, *find_answer_warnings(known, loaded.original))
    return CompiledModel(planned, known, thresholds, assumptions, missing, kept.disabled, warnings, kept.inspection)


def _with_pictures(
    known: TaskMatch,
    graph: ir.Model,
    loaded: LoadedModel,
    wanted: Overrides,
    progress: ProgressReporter,
    task: str | None,
    like: TaskMatch | None,
) -> TaskMatch:
    """Return what the model is with how its pictures go in, as one that makes pictures where its answers show that."""
    if like is not None:
        return with_inputs_of(known, like)
    if wanted.guess_pictures and task is None:
        with progress.step("try what becomes of pictures"):
            makes_picture = find_picture_output(known, graph, loaded.original)
        if makes_picture is not None:
            return makes_picture
    image = find_picture_input(known) if wanted.guess_pictures else None
    if image is None:
        known = with_open_channel(known)
    else:
        with progress.step("try how pictures go in"):
            known = with_picture_input(known, image, graph, loaded.original)
    if known.guessed_recipe and not wanted.note and not kind_of(known.task).makes_picture:
        with progress.step("try how pictures go in"):
            return with_tried_recipe(known, graph, loaded.original)
    return known
