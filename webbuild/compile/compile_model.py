"""Compile a model in memory: recognize its task and lower it to one graph per target."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from webbuild.bundle.graphs import option_inputs
from webbuild.compile.answer_warnings import find_answer_warnings
from webbuild.compile.guess_image_input import (
    find_picture_input,
    with_measured_preprocessing,
    with_picture_input,
    with_tensor_reason,
)
from webbuild.compile.guess_image_output import find_picture_output, with_measured_picture
from webbuild.compile.infer_task import (
    patched_signature,
    require_postprocess,
    with_inputs_of,
    with_int32_inputs,
)
from webbuild.compile.joined_tensors import with_joined_tensors
from webbuild.compile.load_model import LoadedModel
from webbuild.compile.match_task import match_after_passes, match_before_passes, named_task
from webbuild.compile.measure_output_values import with_measured_values
from webbuild.compile.plan_graphs import plan_graphs
from webbuild.compile.stages.graph_normalization import with_crop_normalization, with_graph_normalization
from webbuild.compile.stages.links import StageLinks
from webbuild.compile.state_inputs import with_state_inputs
from webbuild.compile.tiles import with_tiles
from webbuild.manifest.manifest import TensorInput
from webbuild.passes.base import NmsPlacement
from webbuild.passes.lower import TARGETS, LoweredGraphs
from webbuild.targets.target import Target
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
    """The patched graphs of a model for a target, with its task and inputs.

    Attributes:
        lowered: the graph for each target, with its rewrites.
        match: the task, with its inputs.
        options: the inputs that take thresholds.
        assumptions: sentences about what was inferred.
        postprocess: the post-processing that a pass appended because the original has none.
        disabled_target: why WASM runs the model instead of WebGPU; None if WebGPU runs it.
        warnings: sentences about implausible outputs.
        inspection: the inspection of the WebGPU graph; None for a target without a kernel table.
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
        """The targets that have a graph."""
        return TARGETS if self.disabled_target is None else ("wasm",)

    @property
    def disabled_targets(self) -> tuple[DisabledTarget, ...]:
        """The targets without a graph, and why."""
        return () if self.disabled_target is None else (self.disabled_target,)


def compile_model(
    loaded: LoadedModel,
    target: Target,
    *,
    task: str | None,
    nms: NmsPlacement,
    overrides: Overrides,
    progress: ProgressReporter,
    int32_inputs: bool = True,
    base_match: TaskMatch | None = None,
    links: StageLinks | None = None,
) -> CompiledModel:
    """Recognize the task of a model, and run the passes for a target.

    Args:
        loaded: the model, with a size for each free dimension.
        target: the build of onnxruntime-web.
        task: the task that the user named; None to infer it.
        nms: where non-maximum suppression runs.
        overrides: the user's labels and preprocessing.
        progress: prints each step.
        int32_inputs: whether int64 inputs may become int32; not for graphs that run without the runtime.
        base_match: the match at another picture size; its inputs are reused with the shapes of this size.
        links: the links to other stages, None for a single model.

    Raises:
        WebbuildError: `task-mismatch`, `unsupported-dtype`, `class-count-mismatch`, `postprocess-not-appended`,
            `reshape-mismatch`, `no-compatible-build`, `input-too-large`, `size-fails`, `stage-mismatch`, and what
            `apply_overrides` raises.
    """
    source = loaded.source
    task = "tensor" if task is None and links is not None and links.later else task
    with progress.step("plan the patches"):
        task = named_task(loaded, task, overrides, links)
        early, complete = match_before_passes(loaded, task, nms, overrides)
        missing = None if early is None else early.postprocess
        planned, fallback_plan = plan_graphs(loaded, target, missing, nms, int32_inputs=int32_inputs)
    match = match_after_passes(loaded, planned, task, nms, early, complete=complete, alone=links is None)
    require_postprocess(match, planned)
    graph = planned.graphs["wasm"]
    match = with_int32_inputs(_with_earlier_pictures(match, graph, loaded, task, links), graph)
    match = _with_stage_inputs(match, graph, loaded, links)
    recognized = kind_of(match.task)
    match = _with_pictures(match, graph, loaded, overrides, progress, task, base_match)
    match = match if links is None else links.without_task_hint(match)
    match = _with_values(match, loaded, progress, base_match)
    match = apply_overrides(with_joined_tensors(match, graph), overrides)
    if recognized.makes_picture and base_match is None:
        with progress.step("measure the output image"):
            match = with_measured_picture(match, graph, loaded.original, configured=bool(overrides.note))
    match = with_tiles(with_state_inputs(match, source.states, graph), graph, loaded.original, progress)
    thresholds = tuple(option_inputs(planned.graphs["webgpu"]))
    bounded = {spec.name for spec in match.inputs if isinstance(spec, TensorInput)}
    ranges = [f"random values of '{name}': {each}" for name, each in loaded.ranges.items() if name in bounded]
    assumptions = (*loaded.repairs, *loaded.dims.assumptions, *match.assumptions, *ranges)
    warnings = (*source.warnings, *find_answer_warnings(match, loaded.original))
    return CompiledModel(
        planned, match, thresholds, assumptions, missing, fallback_plan.disabled, warnings, fallback_plan.inspection
    )


def _with_earlier_pictures(
    match: TaskMatch, graph: ir.Model, loaded: LoadedModel, task: str | None, links: StageLinks | None
) -> TaskMatch:
    """Return the match; a later stage that takes an earlier stage's pictures normalizes as its own graph does."""
    if links is None or not links.later or task != "tensor":
        return match
    earlier = links.earlier_stage(patched_signature(loaded.source, graph))
    return match if earlier is None else with_graph_normalization(earlier, loaded.source.model)


def _with_stage_inputs(match: TaskMatch, graph: ir.Model, loaded: LoadedModel, links: StageLinks | None) -> TaskMatch:
    """Return the match with the inputs from other stages; for a single model, with the normalization of its crops."""
    if links is None:
        return with_crop_normalization(match, loaded.source.model)
    return links.with_stage_inputs(match, patched_signature(loaded.source, graph), loaded.source.model)


def _with_values(
    match: TaskMatch, loaded: LoadedModel, progress: ProgressReporter, base_match: TaskMatch | None
) -> TaskMatch:
    """Return the match with the task refined by measured output values; a further size reuses the first's task."""
    if not match.measured_output:
        return match
    if base_match is not None:
        return msgspec.structs.replace(match, task=base_match.task)
    with progress.step("measure the values of outputs"):
        return with_measured_values(match, loaded.original)


def _with_pictures(
    match: TaskMatch,
    graph: ir.Model,
    loaded: LoadedModel,
    overrides: Overrides,
    progress: ProgressReporter,
    task: str | None,
    base_match: TaskMatch | None,
) -> TaskMatch:
    """Return the match with the preprocessing of its pictures; as task `image` if its output resembles the input."""
    if base_match is not None:
        return with_inputs_of(match, base_match)
    if overrides.guess_pictures and task is None:
        with progress.step("compare outputs with pictures"):
            makes_picture = find_picture_output(match, graph, loaded.original)
        if makes_picture is not None:
            return makes_picture
    image = find_picture_input(match) if overrides.guess_pictures else None
    if image is None:
        match = match if overrides.note else with_tensor_reason(match)
    else:
        with progress.step("try preprocessings"):
            match = with_picture_input(match, image, graph, loaded.original, loaded.source.signature)
    if match.guessed_recipe and not overrides.note and not kind_of(match.task).makes_picture:
        with progress.step("try preprocessings"):
            return with_measured_preprocessing(match, graph, loaded.original)
    return match
