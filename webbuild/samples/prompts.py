"""Text prompts of the samples."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from webbuild.preprocess.prompt import Prompt
from webbuild.samples.sample import Sample
from webbuild.tasks.registry import kind_of
from webbuild.tasks.task_match import TaskMatch

_PROMPTS_FILE = "prompts.txt"
"""File in the folder of samples, one prompt per line."""

_MAX_PROMPTS = 12


def with_prompts(match: TaskMatch, model: Path, prompts: Sequence[str]) -> TaskMatch:
    """Return the match with the user's prompts, else with those of `_PROMPTS_FILE`, else with the task's defaults.

    Raises:
        WebbuildError: `invalid-prompt` for a prompt that the model cannot take.
    """
    chosen = list(prompts) or _read_prompts_file(model.parent / "samples" / _PROMPTS_FILE)
    return kind_of(match.task).with_prompts(match, chosen)


def attach_prompts(match: TaskMatch, samples: Sequence[Sample]) -> list[Sample]:
    """Return the samples with a prompt each, in turn; unchanged for models without prompts."""
    return _with_prompts_in_turn(match, samples, kind_of(match.task).prompts(match))


def attach_extreme_prompts(match: TaskMatch, samples: Sequence[Sample]) -> list[Sample]:
    """Return the samples with the shortest prompt and a long prompt in turn."""
    return _with_prompts_in_turn(match, samples, kind_of(match.task).edge_case_prompts(match))


def _with_prompts_in_turn(match: TaskMatch, samples: Sequence[Sample], prompts: Sequence[Prompt]) -> list[Sample]:
    if not prompts:
        return list(samples)
    return [_with_prompt(match, sample, prompts[n % len(prompts)]) for n, sample in enumerate(samples)]


def _with_prompt(match: TaskMatch, sample: Sample, prompt: Prompt) -> Sample:
    feeds = {**sample.feeds, **kind_of(match.task).prompt_feeds(match, prompt)}
    return msgspec.structs.replace(sample, feeds=feeds, prompt=prompt)


def _read_prompts_file(file: Path) -> list[str]:
    if not file.is_file():
        return []
    lines = (line.strip() for line in file.read_text("utf-8", "replace").splitlines())
    return [line for line in lines if line][:_MAX_PROMPTS]
