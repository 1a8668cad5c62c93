"""Text (task `text`): the lines of an image, found by a text detector stage and recognized crop by crop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from msgspec import UNSET, Struct

from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.compare.tolerances import Tolerance
from webbuild.manifest.inputs.crop import LineSplit
from webbuild.manifest.manifest import CropInput, ImageInput, TextLineTask, TextTask
from webbuild.model.signature import ModelSignature
from webbuild.preprocess.crop_box import Crop, pixel_size
from webbuild.runners.tensors import Tensors
from webbuild.tasks.decoding.characters import ReadCharacter, ReadLine, place_characters, to_text_line
from webbuild.tasks.decoding.merged_characters import merge_characters, shift_characters
from webbuild.tasks.kind.crop_kind import CropKind, detection_fields
from webbuild.tasks.kind.text_recognition import TextRecognitionKind
from webbuild.tasks.metrics.compare_text import compare_pages
from webbuild.tasks.recognition.text_recognizers import infer_text_line, rows_of_crops
from webbuild.tasks.run_context import RunContext
from webbuild.tasks.task_match import TaskMatch
from webbuild.tasks.type_names import TypeNames


class TextKind(TextRecognitionKind, CropKind):
    """See `TextTask` for the output."""

    spec = TextTask
    page_template = "text-lines"
    needs_earlier = True
    result_field = "lines"
    description = "Reads the lines of text that a detector found"
    required_signature = "one picture, and one output [n, columns, characters] or [columns, 1, characters] of scores"

    def infer(self, signature: ModelSignature, *, requested: bool = False) -> TaskMatch | None:
        """Return a match if the user requests the task; after a detector, `for_crops` of a text line gives it."""
        match = infer_text_line(signature, requested=True) if requested else None
        return None if match is None else text_for_crops(match)

    def decode(self, task: TextTask, outputs: Tensors, context: RunContext) -> Sequence[ReadLine]:
        """Return the non-empty lines, in the order of the crops."""
        placement = context.placement
        if placement is None:
            return ()
        lines: list[list[ReadPart]] = []
        for crop, scores in zip(placement.crops, rows_of_crops(outputs[task.output]), strict=False):
            size = pixel_size(crop)
            column = placement.input_width / len(scores)
            read = place_characters(task, scores, column=column, left=0, scale=size, width=size * crop.columns)
            part = crop.crop_box.part
            if part is None or part.begin == 0 or not lines:
                lines.append([])
            lines[-1].append(ReadPart(crop, read))
        return [each for each in (_joined(task, parts) for parts in lines) if each.text]

    def stack_parts(self, task: TextTask, outputs: Sequence[Tensors]) -> Tensors:
        """Concatenate the scores of the parts of a line, one run each: [1, T, C] each -> [parts, T, C]."""
        return {task.output: np.concatenate([rows_of_crops(each[task.output]) for each in outputs])}

    def read_result(self, result: Mapping[str, Any]) -> Sequence[ReadLine]:
        """Return the lines."""
        known = ({**each, "label": each["text"], "classIndex": 0} for each in result["lines"])
        return msgspec.convert(list(known), list[ReadLine])

    def tolerance_text(self, tolerance: Tolerance) -> str:
        """Return the tolerance of predictions in words."""
        return f"the same lines of the same text, scores {tolerance.score:g}"

    def summary(self, task: TextTask, pictures: int) -> str:
        """Return what the model does."""
        return "Reads the text in a crop of one line."

    def summary_behind_detector(self, task: TextTask) -> str:
        """Return what an earlier stage and this stage do together."""
        return "Finds the lines of text in a picture, and reads each in a crop."

    def typescript(self, task: TextTask) -> TypeNames:
        """Return the name of the lines."""
        return TypeNames("lines", functions=("toHocr",))

    def compare(
        self,
        task: TextTask,
        subject: ComparedOutput,
        expected: Sequence[ReadLine],
        actual: Sequence[ReadLine],
        context: RunContext,
        tolerance: Tolerance,
    ) -> Sequence[Comparison]:
        """Compare the number of lines, their text by its character error rate, and their scores."""
        return compare_pages(subject, expected, actual, tolerance)


class ReadPart(Struct, frozen=True):
    """The characters of a crop, which is a line or a part of a line, with positions along the crop."""

    crop: Crop
    read: Sequence[ReadCharacter]


def _joined(task: TextTask, parts: Sequence[ReadPart]) -> ReadLine:
    whole: list[ReadCharacter] = []
    for each in parts:
        part = each.crop.crop_box.part
        whole = (
            list(each.read)
            if part is None
            else merge_characters(whole, shift_characters(each.read, part.begin), part.overlap)
        )
    line, crop = to_text_line(task, whole), parts[0].crop
    box = crop.crop_box if crop.crop_box.part is None else crop.crop_box.part.line
    known = {**detection_fields(crop), "label": line.text, "score": line.score, "polygon": box.corners}
    return ReadLine(text=line.text, words=line.words, turned=box.turned, **known)


def text_for_crops(match: TaskMatch) -> TaskMatch:
    """Return the match of a line recognizer for crops; each is as high as the input, and padded like its pictures."""
    task, (image,) = match.task, match.inputs
    assert isinstance(task, TextLineTask)
    assert isinstance(image, ImageInput)
    pad = image.letterbox.pad
    crop = CropInput(
        name=image.name, dtype=image.dtype, shape=image.shape, layout=image.layout, color=image.color,
        scale=image.scale, mean=image.mean, std=image.std, padding=1.0, aspect="line",
        pad=image.mean[0] / image.scale if pad == "mean" else float(pad) if isinstance(pad, int) else 0.0,
    )  # fmt: skip
    if pad != "mean":  # docTR's: see `RecognitionPredictor` there
        crop = msgspec.structs.replace(crop, split=LineSplit(above=8.0, part=6.0, overlap=0.5))
    text = TextTask(output=task.output, characters=task.characters, blank=task.blank, logits=task.logits)
    assumptions = tuple(each.replace("task text-line", "task text") for each in match.assumptions)
    if crop.split is not UNSET:
        assumptions = (*assumptions, "words more than 8 times as wide as high are read in parts, as in docTR")
    return TaskMatch(text, (crop,), assumptions, measured_output=match.measured_output)


TASK = TextKind()
