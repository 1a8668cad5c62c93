"""Mask generation: the object that clicks and boxes point at, as Segment Anything finds it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.compare.tolerances import Tolerance
from webbuild.manifest.manifest import MaskGenerationTask, PointPromptInput
from webbuild.model.signature import ModelSignature
from webbuild.preprocess.letterbox import ImagePlacement
from webbuild.preprocess.point_prompt import (
    PointPrompt,
    example_prompt,
    point_prompt_feeds,
    prompt_objects,
    scale_prompt,
    takes_prompt,
)
from webbuild.runners.tensors import Tensors
from webbuild.tasks.base import TaskKind
from webbuild.tasks.decoding.detection import Box
from webbuild.tasks.decoding.mask_image import mask_image
from webbuild.tasks.decoding.mask_logits import ObjectMask, object_mask, resize_logits
from webbuild.tasks.metrics.compare_masks import compare_object_masks
from webbuild.tasks.prompts.mask_prompts import prompts_of_every_kind
from webbuild.tasks.recognition.sam_decoders import infer_sam_decoder
from webbuild.tasks.recognition.sam_encoders import encoder_sizes, infer_sam_encoder, with_encoder
from webbuild.tasks.run_context import RunContext
from webbuild.tasks.task_match import TaskMatch
from webbuild.tasks.type_names import MASK_FUNCTIONS, TypeNames


class PromptedMasks(Struct, frozen=True):
    """The result of a prompt: one mask, or several masks of an ambiguous prompt, and the index of the best.

    `logits` [h, w] are the best mask's, which a later prompt may take as its `mask`.
    """

    masks: tuple[ObjectMask, ...]
    best: int
    logits: NDArray[np.float32]


class MaskGenerationKind(TaskKind):
    """See `MaskGenerationTask` for the masks."""

    spec = MaskGenerationTask
    page_template = "masks"
    noun = "mask"
    description = "Finds the object that a click or a box points at"
    required_signature = (
        "embeddings of a picture, points and labels, and masks and scores, named as Segment Anything's exporters do"
    )
    makes_image = True
    image_caption = "the selected object, the rest darker"
    predicts_more = True
    needs_earlier = True

    def infer(self, signature: ModelSignature, *, requested: bool = False) -> TaskMatch | None:
        """Recognize mask decoders by the names of their inputs and outputs."""
        return infer_sam_decoder(signature)

    def infer_earlier(self, signature: ModelSignature, later: Sequence[ModelSignature]) -> TaskMatch | None:
        """Recognize the image encoder by the decoder that takes its outputs."""
        return infer_sam_encoder(signature, later)

    def earlier_sizes(self, signature: ModelSignature, later: Sequence[ModelSignature]) -> Mapping[str, int]:
        """Return the encoder's picture size, computed from the decoder's embedding size."""
        return encoder_sizes(signature, later)

    def with_earlier(self, match: TaskMatch, earlier: Sequence[TaskMatch]) -> TaskMatch:
        """Return the match with points in the pixels of the encoder's input."""
        return with_encoder(match, earlier)

    def with_point_side(self, match: TaskMatch, side: int) -> TaskMatch:
        """Return the match with points scaled to the graph's frame, if it is not the encoder's input size."""
        assert isinstance(match.task, MaskGenerationTask)
        frame = max(match.task.frame)
        if side == frame:
            return match
        scale = side / frame
        assumption = (
            f"points are multiplied by {scale:g}: the decoder divides them by {side}, the encoder's side is {frame}"
        )
        task = msgspec.structs.replace(match.task, point_scale=scale)
        return msgspec.structs.replace(match, task=task, assumptions=(*match.assumptions, assumption))

    def needed_outputs(self, task: MaskGenerationTask) -> Sequence[str]:
        """Return the logits and the scores."""
        return (task.masks, task.scores)

    def decode(self, task: MaskGenerationTask, outputs: Tensors, context: RunContext) -> Sequence[PromptedMasks]:
        """Return the masks of the first object."""
        if context.placement is None or context.points is None:
            return ()
        chosen = choose_masks(task, object_scores(outputs[task.scores]), context.points)
        return [_decode_masks(task, outputs, context.placement, chosen)]

    def compare(
        self,
        task: MaskGenerationTask,
        subject: ComparedOutput,
        expected: Sequence[PromptedMasks],
        actual: Sequence[PromptedMasks],
        context: RunContext,
        tolerance: Tolerance,
    ) -> Sequence[Comparison]:
        """Compare the masks over the picture and their scores."""
        if not expected:
            return ()
        got = actual[0].masks if actual else ()
        return compare_object_masks(subject, expected[0].masks, got, tolerance)

    def choice_margin(self, task: MaskGenerationTask, outputs: Tensors, context: RunContext) -> float:
        """Return the score margin between the best and the second mask, if one of several masks is chosen."""
        assert context.points is not None
        scores = object_scores(outputs[task.scores])
        chosen = choose_masks(task, scores, context.points)
        if len(chosen.masks) > 1 or chosen.masks[0] == task.single or len(task.multi) < 2:
            return math.inf
        best, second = np.sort(scores[task.multi])[:-3:-1]
        return float(best - second)

    def read_result(self, result: Mapping[str, Any]) -> Sequence[PromptedMasks]:
        """Return the masks in a result of the runtime."""
        shape = result["height"], result["width"]
        masks = tuple(
            ObjectMask(each["mask"].reshape(shape) == 1, each["score"], Box(**each["box"])) for each in result["masks"]
        )
        logits = result["logits"]
        return [PromptedMasks(masks, result["best"], logits["data"].reshape(logits["rows"], logits["columns"]))]

    def example_points(self, match: TaskMatch, placement: ImagePlacement, index: int) -> PointPrompt | None:
        """Return clicks in the picture, and a box: for odd samples if the graph can take one, for all if it must."""
        assert isinstance(match.task, MaskGenerationTask)
        return example_prompt(match.inputs, match.task, placement, index)

    def verification_prompts(
        self, matches: Sequence[TaskMatch], placement: ImagePlacement
    ) -> Mapping[str, PointPrompt]:
        """Return clicks of both labels, a box, and an ambiguous prompt."""
        (first, *_) = matches
        assert isinstance(first.task, MaskGenerationTask)
        return prompts_of_every_kind(first.task, [each.inputs for each in matches], placement)

    def takes_points(self, match: TaskMatch, prompt: PointPrompt) -> bool:
        """Whether a graph takes exactly these clicks and this box."""
        assert isinstance(match.task, MaskGenerationTask)
        return takes_prompt(match.inputs, match.task, prompt)

    def refined_points(
        self, match: TaskMatch, prompt: PointPrompt, answer: Sequence[PromptedMasks]
    ) -> PointPrompt | None:
        """Return the prompt with the logits of the best mask; None if the graph takes no logits of that size."""
        spec = next((s for s in match.inputs if isinstance(s, PointPromptInput) and s.role == "mask"), None)
        if spec is None or not answer or tuple(spec.shape[-2:]) != answer[0].logits.shape:
            return None
        return msgspec.structs.replace(prompt, mask=answer[0].logits)

    def point_feeds(self, match: TaskMatch, prompt: PointPrompt, placement: ImagePlacement) -> Tensors:
        """Return the feeds of clicks and boxes; for a graph with several objects, scaled copies of this prompt."""
        assert isinstance(match.task, MaskGenerationTask)
        count = prompt_objects(match.inputs)
        prompts = [scale_prompt(prompt, 1 - at / (2 * count)) if at else prompt for at in range(count)]
        return point_prompt_feeds(match.inputs, match.task, prompts, placement)

    def image(
        self,
        task: MaskGenerationTask,
        prediction: PromptedMasks,
        reference: PromptedMasks,
        pixels: NDArray[np.uint8] | None,
    ) -> NDArray[np.uint8]:
        """Return the best mask over the picture."""
        return mask_image(prediction.masks[prediction.best].mask, pixels)

    def tolerance_text(self, tolerance: Tolerance) -> str:
        """Return the tolerance of predictions in words."""
        return f"{tolerance.mask:.0%} of the pixels of a mask and one more; scores {tolerance.score:g}"

    def summary(self, task: MaskGenerationTask, pictures: int) -> str:
        """Return what the model does."""
        return "Finds the object that you click on or draw a box around."

    def typescript(self, task: MaskGenerationTask) -> TypeNames:
        """Return the name of the masks."""
        return TypeNames("masks", functions=(*MASK_FUNCTIONS, "maskPixels"))


class ChosenMasks(Struct, frozen=True):
    """The indices of the masks to return for an object, and the position of the best among them."""

    masks: tuple[int, ...]
    best: int


def object_scores(scores: NDArray[Any], index: int = 0) -> NDArray[Any]:
    """Return one object's scores: [1, masks] or [1, objects, masks] -> [masks]."""
    object_row: NDArray[Any] = scores.reshape(-1, scores.shape[-1])[index]
    return object_row


def choose_masks(task: MaskGenerationTask, scores: NDArray[Any], prompt: PointPrompt) -> ChosenMasks:
    """Return the masks to return for a prompt: one, or all of `multi` if it sets `multimask`; see the task."""
    best = int(np.argmax(scores[task.multi])) if task.multi else 0
    if task.multi and prompt.multimask:
        return ChosenMasks(tuple(task.multi), best)
    if task.single is None or (task.multi and prompt.is_ambiguous):
        return ChosenMasks((task.multi[best],), 0)
    return ChosenMasks((task.single,), 0)


def _decode_masks(
    task: MaskGenerationTask, outputs: Tensors, placement: ImagePlacement, chosen: ChosenMasks, index: int = 0
) -> PromptedMasks:
    """Return the chosen masks of one object, over the picture."""
    logits = outputs[task.masks]
    planes = logits.reshape(-1, *logits.shape[-3:])[index]  # [masks, h, w]
    scores = object_scores(outputs[task.scores], index)
    masks = tuple(
        object_mask(resize_logits(task, planes[kind], placement) > task.threshold, float(scores[kind]))
        for kind in chosen.masks
    )
    return PromptedMasks(masks, chosen.best, planes[chosen.masks[chosen.best]].astype(np.float32))


TASK = MaskGenerationKind()
