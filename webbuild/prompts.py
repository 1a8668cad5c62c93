"""What is looked for in the samples of a model that takes a prompt."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import msgspec

from webbuild.manifest import Input, PhrasesTask
from webbuild.samples import Sample
from webbuild.tasks._base import Guess
from webbuild.tasks.prompt import Prompt, caption, prompt_feeds, read_prompt
from webbuild.tasks.wordpiece import Wordpiece

FILE = "prompts.txt"
"""Beside the samples: a prompt in each line."""

_MOST = 12
_MANY = 50
"""Phrases of a long prompt, as far as there is room for them."""


def with_prompts(known: Guess, model: Path, given: Sequence[str]) -> Guess:
    """Return the guess with the prompts that were given, else those beside the samples, else its own, cut to fit.

    Raises:
        WebbuildError: `wrong-prompt` for one that the model cannot take.
    """
    task = known.task
    if not isinstance(task, PhrasesTask):
        return known
    reader = reader_of(known)
    chosen = list(given) or _beside(model.parent / "samples" / FILE)
    prompts = chosen or [" . ".join([*_fitting(_phrases(own), reader, task), ""]).strip() for own in task.prompts]
    for prompt in prompts:
        read_prompt(prompt, reader, task)
    return msgspec.structs.replace(known, task=msgspec.structs.replace(task, prompts=prompts))


def asked(known: Guess, samples: Sequence[Sample]) -> list[Sample]:
    """Return the samples with a prompt each, the prompts in turn. Models without one get them as they are."""
    task = known.task
    if not isinstance(task, PhrasesTask):
        return list(samples)
    reader = reader_of(known)
    prompts = [read_prompt(prompt, reader, task) for prompt in task.prompts]
    return [_ask(sample, known.inputs, task, prompts[n % len(prompts)]) for n, sample in enumerate(samples)]


def asked_extremes(known: Guess, samples: Sequence[Sample]) -> list[Sample]:
    """Return the samples with the shortest and a long prompt in turn: one word, and fifty phrases if they fit."""
    task = known.task
    if not isinstance(task, PhrasesTask):
        return list(samples)
    reader = reader_of(known)
    prompts = [_shortest(reader, task), _longest(reader, task)]
    return [_ask(sample, known.inputs, task, prompts[n % 2]) for n, sample in enumerate(samples)]


def reader_of(known: Guess) -> Wordpiece:
    """Return the tokenizer of a model that takes a prompt."""
    assert isinstance(known.task, PhrasesTask)
    return _read(known.files[known.task.tokenizer])


@cache
def _read(tokenizer: bytes) -> Wordpiece:
    return Wordpiece(tokenizer.decode())


def _beside(file: Path) -> list[str]:
    if not file.is_file():
        return []
    lines = (line.strip() for line in file.read_text("utf-8", "replace").splitlines())
    return [line for line in lines if line][:_MOST]


def _shortest(reader: Wordpiece, task: PhrasesTask) -> Prompt:
    word = caption(task.prompts[0]).split(".")[0].split()[-1]
    return read_prompt(word, reader, task)


def _longest(reader: Wordpiece, task: PhrasesTask) -> Prompt:
    phrases = _phrases(task.prompts[0])
    return read_prompt(_fitting([phrases[n % len(phrases)] for n in range(_MANY)], reader, task), reader, task)


def _phrases(prompt: str) -> list[str]:
    return [phrase.strip() for phrase in caption(prompt).split(".") if phrase.strip()]


def _fitting(phrases: Sequence[str], reader: Wordpiece, task: PhrasesTask) -> list[str]:
    """Return as many of the phrases as the model has tokens for, and at least one."""
    many = list(phrases)
    while len(reader.encode(caption(many))) > task.tokens and len(many) > 1:
        many.pop()
    return many


def _ask(sample: Sample, inputs: Sequence[Input], task: PhrasesTask, prompt: Prompt) -> Sample:
    feeds = {**sample.feeds, **prompt_feeds(inputs, task, prompt)}
    return msgspec.structs.replace(sample, feeds=feeds, prompt=prompt)
