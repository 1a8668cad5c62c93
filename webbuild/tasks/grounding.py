"""Grounding: boxes of the objects that a text prompt names."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.compare.tolerances import Tolerance
from webbuild.manifest.manifest import GroundingTask
from webbuild.model.signature import ModelSignature
from webbuild.postprocess.sigmoid import sigmoid
from webbuild.preprocess.letterbox import ImagePlacement
from webbuild.preprocess.prompt import Prompt, prompt_feeds
from webbuild.runners.tensors import Tensors
from webbuild.tasks.base import TaskKind
from webbuild.tasks.decoding.detection import Box, Detection, GroundedDetection
from webbuild.tasks.metrics.compare_detections import detection_tolerance_text, in_source_pixels
from webbuild.tasks.metrics.compare_grounding import compare_grounding
from webbuild.tasks.prompts.grounding_prompts import (
    edge_case_prompts,
    example_prompts,
    prompt_task,
    read_prompt,
    with_prompts,
)
from webbuild.tasks.recognition.grounding_dino import infer_grounding_dino
from webbuild.tasks.run_context import RunContext
from webbuild.tasks.task_match import TaskMatch
from webbuild.tasks.type_names import OBJECT_FUNCTIONS, PromptLimits, TypeNames


class GroundingKind(TaskKind):
    """See `GroundingTask` for the outputs of a query."""

    spec = GroundingTask
    page_template = "detections"
    noun = "detection"
    description = "Finds what a prompt names"
    required_signature = (
        "a picture, the five tensors of a prompt, and logits and boxes of queries, as Grounding DINO has them"
    )
    takes_prompt = True
    predicts_more = True
    has_detections = True

    def infer(self, signature: ModelSignature, *, requested: bool = False) -> TaskMatch | None:
        """Recognize detectors with a text prompt by the names of their inputs and outputs."""
        return infer_grounding_dino(signature)

    def needed_outputs(self, task: GroundingTask) -> Sequence[str]:
        """Return the logits and the boxes."""
        return (task.output, task.boxes)

    def compare(
        self,
        task: GroundingTask,
        subject: ComparedOutput,
        expected: Sequence[Detection],
        actual: Sequence[Detection],
        context: RunContext,
        tolerance: Tolerance,
    ) -> Sequence[Comparison]:
        """Compare the detections and their words."""
        if context.placement is None or context.prompt is None:
            return ()
        thresholds = {**self.default_thresholds(task), **context.thresholds}
        return compare_grounding(subject, expected, actual, thresholds, in_source_pixels(tolerance, context))

    def default_thresholds(self, task: GroundingTask) -> dict[str, float]:
        """Return the exported thresholds by option."""
        return {"confidence": task.confidence, "textThreshold": task.text_threshold}

    def decode(self, task: GroundingTask, outputs: Tensors, context: RunContext) -> Sequence[Detection]:
        """Return the detections, best first."""
        if context.placement is None or context.prompt is None:
            return ()
        values = {**self.default_thresholds(task), **context.thresholds}
        return post_process_grounding(task, outputs, context.prompt, context.placement, values)

    def read_result(self, result: Mapping[str, Any]) -> Sequence[Detection]:
        """Return the detections."""
        return msgspec.convert(result["detections"], list[Detection])

    def tolerance_text(self, tolerance: Tolerance) -> str:
        """Return the tolerance of predictions in words."""
        return detection_tolerance_text(tolerance)

    def summary(self, task: GroundingTask, pictures: int) -> str:
        """Return what the model does."""
        return "Finds what you name in words."

    def typescript(self, task: GroundingTask) -> TypeNames:
        """Return the name of the detections, and the limits of the prompt."""
        limits = PromptLimits(task.max_tokens, task.confidence, task.text_threshold)
        return TypeNames("detections", prompt=limits, functions=OBJECT_FUNCTIONS)

    def with_prompts(self, match: TaskMatch, prompts: Sequence[str]) -> TaskMatch:
        """Return the match with these example prompts, else with the defaults truncated to the model's token limit."""
        return with_prompts(match, prompts)

    def prompts(self, match: TaskMatch) -> Sequence[Prompt]:
        """Return the example prompts."""
        return example_prompts(match)

    def edge_case_prompts(self, match: TaskMatch) -> Sequence[Prompt]:
        """Return one word, and fifty phrases if they fit."""
        return edge_case_prompts(match)

    def prompt_files(self, task: GroundingTask) -> Sequence[str]:
        """Return the tokenizer."""
        return (task.tokenizer,)

    def read_prompt(self, match: TaskMatch, text: str) -> Prompt:
        """Return the tokens of a prompt."""
        return read_prompt(match, text)

    def prompt_feeds(self, match: TaskMatch, prompt: Prompt) -> Mapping[str, NDArray[Any]]:
        """Return the feeds of a prompt's tokens."""
        return prompt_feeds(match.inputs, prompt_task(match), prompt)


def post_process_grounding(
    task: GroundingTask,
    outputs: Tensors,
    prompt: Prompt,
    placement: ImagePlacement,
    values: Mapping[str, float],
) -> list[GroundedDetection]:
    """Return the detections, best first, in source pixels; `values` are the thresholds by option."""
    logits, boxes = outputs[task.output][0], outputs[task.boxes][0]  # [queries, tokens], [queries, 4]
    scores = sigmoid(logits.astype(np.float64))
    best = scores.max(axis=1)
    kept = [int(query) for query in np.flatnonzero(best > values["confidence"])]
    kept.sort(key=lambda query: -best[query])
    return [
        _grounded_detection(prompt, scores[query], boxes[query], placement, values["textThreshold"]) for query in kept
    ]


def _grounded_detection(
    prompt: Prompt, scores: NDArray[np.float64], box: NDArray[np.float32], placement: ImagePlacement, text: float
) -> GroundedDetection:
    last = min(len(scores) - 1, len(prompt.ids))
    read = [position for position in range(1, last) if scores[position] > text]
    label = prompt.tokenizer.decode([prompt.ids[position] for position in read]).replace(".", "")
    token = int(scores.argmax())
    phrase = min(max(bisect_left(prompt.separators, token) - 1, 0), len(prompt.phrases) - 1)
    x, y, width, height = box.astype(np.float64)
    size = (placement.input_width, placement.input_height)
    corners = np.array([[x - width / 2, y - height / 2], [x + width / 2, y + height / 2]]) * size
    margin = float(np.abs(scores[1:last] - text).min(initial=1.0))
    return GroundedDetection(
        box=Box(*placement.to_source(corners, clamp=True).ravel().tolist()),
        score=float(scores[token]),
        class_index=phrase,
        label=label,
        margin=margin,
    )


TASK = GroundingKind()
