"""Example and test prompts of a grounding model, truncated to its token limit."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import msgspec

from webbuild.manifest.manifest import GroundingTask
from webbuild.preprocess.prompt import Prompt, caption, tokenize_prompt
from webbuild.preprocess.wordpiece import WordpieceTokenizer
from webbuild.tasks.task_match import TaskMatch

_LONG_PROMPT_PHRASES = 50
"""Maximum number of phrases in the long prompt."""


def prompt_task(match: TaskMatch) -> GroundingTask:
    """Return the task of a model that takes a prompt."""
    assert isinstance(match.task, GroundingTask)
    return match.task


def with_prompts(match: TaskMatch, examples: Sequence[str]) -> TaskMatch:
    """Return the match with the prompts `examples`, else with its own prompts, truncated to fit.

    Raises:
        WebbuildError: `invalid-prompt` for a prompt that the model cannot take.
    """
    task, tokenizer = prompt_task(match), _tokenizer_of(match)
    prompts = list(examples) or [
        " . ".join([*_phrases_that_fit(_split_phrases(prompt), tokenizer, task), ""]).strip() for prompt in task.prompts
    ]
    for prompt in prompts:
        tokenize_prompt(prompt, tokenizer, task)
    return msgspec.structs.replace(match, task=msgspec.structs.replace(task, prompts=prompts))


def example_prompts(match: TaskMatch) -> list[Prompt]:
    """Return the example prompts of the task."""
    task = prompt_task(match)
    return [tokenize_prompt(prompt, _tokenizer_of(match), task) for prompt in task.prompts]


def read_prompt(match: TaskMatch, text: str) -> Prompt:
    """Return the tokens of a prompt; of the first example if the text is empty."""
    task = prompt_task(match)
    return tokenize_prompt(text or task.prompts[0], _tokenizer_of(match), task)


def edge_case_prompts(match: TaskMatch) -> list[Prompt]:
    """Return a prompt of one word, and one of up to fifty phrases, as many as fit."""
    task, tokenizer = prompt_task(match), _tokenizer_of(match)
    return [_shortest_prompt(tokenizer, task), _longest_prompt(tokenizer, task)]


def _tokenizer_of(match: TaskMatch) -> WordpieceTokenizer:
    return _load_tokenizer(match.files[prompt_task(match).tokenizer])


@cache
def _load_tokenizer(tokenizer: bytes) -> WordpieceTokenizer:
    return WordpieceTokenizer(tokenizer.decode())


def _shortest_prompt(tokenizer: WordpieceTokenizer, task: GroundingTask) -> Prompt:
    word = caption(task.prompts[0]).split(".")[0].split()[-1]
    return tokenize_prompt(word, tokenizer, task)


def _longest_prompt(tokenizer: WordpieceTokenizer, task: GroundingTask) -> Prompt:
    phrases = _split_phrases(task.prompts[0])
    return tokenize_prompt(
        _phrases_that_fit([phrases[n % len(phrases)] for n in range(_LONG_PROMPT_PHRASES)], tokenizer, task),
        tokenizer,
        task,
    )


def _split_phrases(prompt: str) -> list[str]:
    return [phrase.strip() for phrase in caption(prompt).split(".") if phrase.strip()]


def _phrases_that_fit(phrases: Sequence[str], tokenizer: WordpieceTokenizer, task: GroundingTask) -> list[str]:
    """Return as many of the phrases as fit into the model's token limit, at least one."""
    many = list(phrases)
    while len(tokenizer.encode(caption(many))) > task.max_tokens and len(many) > 1:
        many.pop()
    return many
