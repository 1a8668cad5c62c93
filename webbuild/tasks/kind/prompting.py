"""Prompting: the methods of a task that turn prompts (text, clicks, boxes) into inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from webbuild.preprocess.letterbox import ImagePlacement
from webbuild.preprocess.point_prompt import PointPrompt
from webbuild.preprocess.prompt import Prompt
from webbuild.runners.tensors import Tensors
from webbuild.tasks.task_match import TaskMatch


class Prompting:
    """Prompt methods of a task: turn text, clicks and boxes into inputs."""

    takes_prompt: bool = False
    """Whether a run needs a text prompt, so that the bundle contains the tokenizer's code."""

    def with_prompts(self, match: TaskMatch, prompts: Sequence[str]) -> TaskMatch:
        """Return the match with these example prompts; without any, with the defaults, truncated to fit.

        Raises:
            WebbuildError: `invalid-prompt` for a prompt that the model cannot take.
        """
        return match

    def prompts(self, match: TaskMatch) -> Sequence[Prompt]:
        """Return the example prompts, which the samples use in turn; none for a task without prompts."""
        return ()

    def edge_case_prompts(self, match: TaskMatch) -> Sequence[Prompt]:
        """Return the shortest prompt and a long one; none for a task without prompts."""
        return ()

    def prompt_files(self, task: Any) -> Sequence[str]:
        """Return the bundle's files that `read_prompt` needs in a match."""
        return ()

    def read_prompt(self, match: TaskMatch, text: str) -> Prompt:
        """Return the prompt of a text; the first example prompt if the text is empty.

        Raises:
            WebbuildError: `invalid-prompt` for a text that the model cannot take.
        """
        raise NotImplementedError

    def prompt_feeds(self, match: TaskMatch, prompt: Prompt) -> Mapping[str, NDArray[Any]]:
        """Return the feeds of a text prompt."""
        return {}

    def text_runs(self, match: TaskMatch) -> Mapping[str, Tensors]:
        """Return the feeds of each example text of a text encoder; {} for any other model."""
        return {}

    def example_points(self, match: TaskMatch, placement: ImagePlacement, index: int) -> PointPrompt | None:
        """Return example clicks for sample `index`, as many as the graph takes; None for a task without clicks."""
        return None

    def verification_prompts(
        self, matches: Sequence[TaskMatch], placement: ImagePlacement
    ) -> Mapping[str, PointPrompt]:
        """Return a prompt of each kind that at least one of the graphs takes, by its name in a report."""
        return {}

    def takes_points(self, match: TaskMatch, prompt: PointPrompt) -> bool:
        """Whether a graph takes exactly these clicks and this box."""
        return False

    def refined_points(self, match: TaskMatch, prompt: PointPrompt, answer: Sequence[Any]) -> PointPrompt | None:
        """Return the prompt with its predicted mask as the mask input; None if the graph takes no mask."""
        return None

    def point_feeds(self, match: TaskMatch, prompt: PointPrompt, placement: ImagePlacement) -> Tensors:
        """Return the feeds of clicks and boxes."""
        return {}
