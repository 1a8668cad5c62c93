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
    """Turns prompts (text, clicks, boxes) into inputs."""

    takes_prompt: bool = False
    """Whether a run needs a prompt, and the bundle the code of a tokenizer."""

    def with_prompts(self, match: TaskMatch, prompts: Sequence[str]) -> TaskMatch:
        """Return the match with these example prompts, else its own cut to fit.

        Raises:
            WebbuildError: `invalid-prompt` for one that the model cannot take.
        """
        return match

    def prompts(self, match: TaskMatch) -> Sequence[Prompt]:
        """Return the prompts that samples are tried with, in turn; none for a task that takes none."""
        return ()

    def edge_case_prompts(self, match: TaskMatch) -> Sequence[Prompt]:
        """Return the shortest prompt and a long one; none for a task that takes none."""
        return ()

    def prompt_files(self, task: Any) -> Sequence[str]:
        """Return the files of a bundle that `read_prompt` needs in a match."""
        return ()

    def read_prompt(self, match: TaskMatch, text: str) -> Prompt:
        """Return a prompt, the first example where the text is empty; of a task that takes prompts.

        Raises:
            WebbuildError: `invalid-prompt` for one that the model cannot take.
        """
        raise NotImplementedError

    def prompt_feeds(self, match: TaskMatch, prompt: Prompt) -> Mapping[str, NDArray[Any]]:
        """Return the inputs that a prompt fills in."""
        return {}

    def text_runs(self, match: TaskMatch) -> Mapping[str, Tensors]:
        """Return the feeds of example texts, by text, of a model that takes no picture; nothing for any other."""
        return {}

    def example_points(self, match: TaskMatch, placement: ImagePlacement, index: int) -> PointPrompt | None:
        """Return clicks for the sample of a number, as many as the graph takes; None for a task that takes none."""
        return None

    def verification_prompts(
        self, matches: Sequence[TaskMatch], placement: ImagePlacement
    ) -> Mapping[str, PointPrompt]:
        """Return prompts of every kind that one of the graphs takes, by what a report calls them."""
        return {}

    def takes_points(self, match: TaskMatch, prompt: PointPrompt) -> bool:
        """Whether a graph takes exactly these clicks and this box."""
        return False

    def refined_points(self, match: TaskMatch, prompt: PointPrompt, answer: Sequence[Any]) -> PointPrompt | None:
        """Return a prompt with the answer to it, to be refined; None where a graph takes no answer."""
        return None

    def point_feeds(self, match: TaskMatch, prompt: PointPrompt, placement: ImagePlacement) -> Tensors:
        """Return the inputs that clicks and boxes fill in."""
        return {}
