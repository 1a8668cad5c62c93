"""The clicks and boxes of the samples of a model that takes them: others on each picture."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from webbuild.samples.sample import Sample
from webbuild.tasks.base import TaskMatch
from webbuild.tasks.registry import kind_of


def attach_point_prompts(match: TaskMatch, samples: Sequence[Sample]) -> list[Sample]:
    """Return the samples with a prompt each; models that take no clicks get them as they are."""
    return [_with_prompt(match, sample, index) for index, sample in enumerate(samples)]


def _with_prompt(match: TaskMatch, sample: Sample, index: int) -> Sample:
    kind, placement = kind_of(match.task), sample.placement
    prompt = None if placement is None else kind.example_points(match, placement, index)
    if prompt is None or placement is None:
        return sample
    feeds = {**sample.feeds, **kind.point_feeds(match, prompt, placement)}
    return msgspec.structs.replace(sample, feeds=feeds, points=prompt)
