"""Point prompts of the samples: different clicks and boxes on each picture."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from webbuild.preprocess.letterbox import ImagePlacement
from webbuild.preprocess.point_prompt import PointPrompt
from webbuild.runners.tensors import Tensors
from webbuild.samples.sample import Sample
from webbuild.tasks.registry import kind_of
from webbuild.tasks.task_match import TaskMatch


def attach_point_prompts(match: TaskMatch, samples: Sequence[Sample]) -> list[Sample]:
    """Return the samples with a prompt each; unchanged for models that take no clicks."""
    return [_with_prompt(match, sample, index) for index, sample in enumerate(samples)]


def point_prompt_of(
    match: TaskMatch, placement: ImagePlacement | None, index: int
) -> tuple[PointPrompt, Tensors] | None:
    """Return the prompt of sample `index` and its feeds; None without a picture, or for a model without clicks."""
    kind = kind_of(match.task)
    prompt = None if placement is None else kind.example_points(match, placement, index)
    return None if prompt is None or placement is None else (prompt, kind.point_feeds(match, prompt, placement))


def _with_prompt(match: TaskMatch, sample: Sample, index: int) -> Sample:
    pointed = point_prompt_of(match, sample.placement, index)
    if pointed is None:
        return sample
    prompt, feeds = pointed
    return msgspec.structs.replace(sample, feeds={**sample.feeds, **feeds}, points=prompt)
