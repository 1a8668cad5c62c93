"""Task matching before and after the passes: only the patched graph has the outputs that a pass appends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webbuild.compile.infer_task import has_keypoints, infer_missing_postprocess, infer_task, task_of_labels
from webbuild.compile.load_model import LoadedModel
from webbuild.compile.measure_detection_head import with_measured_head
from webbuild.compile.size_input_order import with_measured_size_order
from webbuild.compile.stages.links import StageLinks
from webbuild.compile.zero_shot import infer_zero_shot
from webbuild.passes.base import NmsPlacement
from webbuild.passes.lower import LoweredGraphs
from webbuild.tasks.options.symbolic_dims import takes_prompt
from webbuild.tasks.options.user_overrides import Overrides
from webbuild.tasks.registry import kind_of

if TYPE_CHECKING:
    from webbuild.tasks.task_match import TaskMatch


def named_task(loaded: LoadedModel, task: str | None, overrides: Overrides, links: StageLinks | None) -> str | None:
    """Return the task set by the user, by a later stage or by the number of labels; None to infer it."""
    source, dims = loaded.source, loaded.dims.dims
    if task is None and links is not None and has_keypoints(source, dims, links.keypoints):
        task = "pose"
    if task is None and overrides.labels is not None:
        task = task_of_labels(source, dims, overrides.labels)
    return task


def match_before_passes(
    loaded: LoadedModel, task: str | None, nms: NmsPlacement, overrides: Overrides
) -> tuple[TaskMatch | None, bool]:
    """Match the task of a model without post-processing: a pass will append it.

    Returns:
        The match, None for a model with post-processing; and whether the shapes fit a task but measured values do not.
    """
    source, dims = loaded.source, loaded.dims.dims
    if overrides.known is not None:
        match: TaskMatch | None = overrides.known
    elif overrides.text_labels is not None:
        match = infer_zero_shot(source, dims, overrides.text_labels)
    else:
        match = None if nms == "keep" else infer_missing_postprocess(source, dims, task)
    by_shapes = match and with_measured_size_order(match, loaded.original)
    match = by_shapes and with_measured_head(by_shapes, loaded.original)
    return match, by_shapes is not None and match is None


def match_after_passes(
    loaded: LoadedModel,
    planned: LoweredGraphs,
    task: str | None,
    nms: NmsPlacement,
    early: TaskMatch | None,
    *,
    complete: bool,
    alone: bool,
) -> TaskMatch:
    """Return the match from before the passes, else infer it from the patched graph's outputs.

    The task is `tensor` if `nms` is `keep` and the task needs post-processing, or if the task needs an earlier stage
    and the model is packed `alone`.
    """
    source = loaded.source
    plain = nms == "keep" and takes_prompt(source.signature)  # only the page uses the tokenizer
    match = early or infer_task(source, planned, "tensor" if plain else task, complete=complete)
    if nms == "keep" and match.postprocess is not None:
        match = infer_task(source, planned, "tensor")
    if kind_of(match.task).needs_earlier and alone and task is None:
        match = infer_task(source, planned, "tensor")
    return match
