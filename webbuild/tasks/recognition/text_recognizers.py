"""Recognize text recognizers: PaddleOCR's, also as exported by RapidOCR, and docTR's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from webbuild.manifest.manifest import ImageInput, Letterbox, TextLineTask, TextRecognition
from webbuild.model.signature import ModelSignature, TensorSpec
from webbuild.preprocess.image import input_size
from webbuild.tasks.recognition.image_input import fixed_image_input
from webbuild.tasks.recognition.text_dictionary import fit_dictionary, known_dictionary
from webbuild.tasks.task_match import TaskMatch

_HEIGHTS = (32, 48)
"""Line heights in pixels: in PP-OCRv1 and v2, and since v3."""
_WIDTH = 320
"""PaddleOCR pads lines to at least this width in pixels."""
_FILE = re.compile(r"(pp-?ocr|paddle|rapidocr).*rec(?![a-z])", re.IGNORECASE)
_OLD_FILE = re.compile(r"v[12](?![0-9])|mobile_v[12]", re.IGNORECASE)
_LEAST_CLASSES = 64
"""Minimum number of classes of a recognizer without a dictionary: Latin letters, digits and punctuation."""
_STRIDES = range(2, 17)
"""Possible widths of an output column in input pixels."""
_DOCTR_SIZE = (32, 128)
_DOCTR_END_COLUMNS = 33
"""Columns of docTR's ViTSTR and PARSeq: 32 characters and the end token. A CTC head has 32 columns of 4 pixels each."""
_SAR_COLUMNS = 31
"""Columns of docTR's SAR: 30 characters and the end token. Each step takes the ArgMax of the step before."""
_DOCTR_MEAN, _DOCTR_STD = [0.694, 0.695, 0.693], [0.299, 0.296, 0.301]
_SUM_SLACK = 1e-3
_MOST_COLUMNS = 0.5
"""On photographs without text, the class of more than this share of the columns is the blank."""


def infer_text_line(signature: ModelSignature, *, requested: bool) -> TaskMatch | None:
    """Return the match of a text recognizer, by shapes and a fitting dictionary; None for other models."""
    if len(signature.inputs) != 1 or len(signature.outputs) != 1:
        return None
    output = signature.outputs[0]
    image = fixed_image_input(signature.inputs[0], gray=True)
    match output.shape:
        case (1, int(columns), int(classes)) if image is not None and output.dtype == "float32":
            layout: Literal["ntc", "tnc"] = "ntc"
        case (int(columns), 1, int(classes)) if image is not None and output.dtype == "float32":
            layout = "tnc"
        case _:
            return None
    dictionary = known_dictionary(signature)
    doctr = _is_doctr(signature, image)
    sar = columns == _SAR_COLUMNS and "ArgMax" in signature.operators
    ends = doctr and layout == "ntc" and (columns == _DOCTR_END_COLUMNS or sar)
    fitted = None if dictionary is None else fit_dictionary(dictionary.characters, classes, blank_first=not doctr)
    fits = fitted is not None or (classes >= _LEAST_CLASSES and image.color == "rgb")
    known = fits and (ends or _is_line(image, columns))
    if not requested and not known:
        return None
    blank = classes - 1 if doctr else 0
    characters = ("",) * classes
    if fitted is not None:
        characters, blank = fitted.characters, fitted.blank
    task = TextLineTask(
        output=output.name,
        layout=layout,
        characters="\n".join(characters),
        blank=blank,
        logits="Softmax" not in (output.activation, output.operator),
        decoding="end-token" if ends else "ctc",
    )
    assumptions = [f"task text-line: output '{output.name}' has scores of {classes} characters at {columns} columns"]
    if fitted is not None and dictionary is not None:
        assumptions.append(f"the characters are those in {dictionary.source}")
    picture, how = (_doctr_picture(image, signature), "docTR") if doctr else (_paddle_picture(image), "PaddleOCR")
    if ends:
        assumptions.append(
            "each column is a character up to an end token, as in docTR's ViTSTR, PARSeq and SAR; it is not CTC"
        )
    recipe = f"pictures of lines are preprocessed as in {how}, unless an option says otherwise"
    assumptions.append(recipe)
    guessed = "" if known else recipe
    return TaskMatch(task, (picture,), tuple(assumptions), guessed_recipe=guessed, measured_output=output.name)


def line_size(signature: ModelSignature) -> tuple[int, int] | None:
    """Return PaddleOCR's line height and width for a recognizer with free width, None for other models.

    One for grey lines needs a dictionary. The height is 0 if the model's is fixed. If it is free too, the dictionary or
    the file's name must indicate a text recognizer.
    """
    match signature.inputs, signature.outputs:
        case (TensorSpec(shape=(_, 1 | 3 as channels, height, width)),), (TensorSpec(shape=(_, _, classes)),):
            pass
        case _:
            return None
    dictionary = known_dictionary(signature)
    if channels == 1 and dictionary is None:
        return None
    if isinstance(width, int) or (isinstance(height, int) and height not in _HEIGHTS):
        return None
    if isinstance(height, int):
        return 0, _WIDTH
    fits = (
        dictionary is not None
        and isinstance(classes, int)
        and fit_dictionary(dictionary.characters, classes, blank_first=True)
    )
    if not fits and not _FILE.search(signature.file):
        return None
    return _HEIGHTS[0] if _OLD_FILE.search(signature.file) else _HEIGHTS[1], _WIDTH


def with_measured_scores(match: TaskMatch, values: Sequence[NDArray[Any]]) -> TaskMatch:
    """Return the match with properties measured on photographs without text.

    Rows that are not probabilities are logits. If most columns are of the last class and none of the first, the last
    is the blank; or the reverse.
    """
    task = match.task
    assert isinstance(task, TextRecognition)
    rows = np.concatenate([score_rows(task, each) for each in values]).astype(np.float64)
    if not np.isfinite(rows).all():
        return match
    logits = bool(rows.min() < -_SUM_SLACK or np.abs(rows.sum(axis=1) - 1).max() > _SUM_SLACK)
    last = rows.shape[1] - 1
    ending = "logits, which go through a softmax" if logits else "probabilities"
    if task.decoding == "end-token":
        task = msgspec.structs.replace(task, logits=logits)
        return msgspec.structs.replace(match, task=task, assumptions=(*match.assumptions, f"the output has {ending}"))
    best = rows.argmax(axis=1)
    common = next((at for at in (0, last) if (best == at).mean() > _MOST_COLUMNS), task.blank)
    task = msgspec.structs.replace(task, logits=logits)
    if common != task.blank and task.blank in (0, last) and not (best == task.blank).any():
        names = task.characters.split("\n")
        names = [*names[1:], ""] if common else ["", *names[:-1]]
        task = msgspec.structs.replace(task, characters="\n".join(names), blank=common)
    position = "first" if task.blank == 0 else "last"
    assumption = f"the output has {ending}; the {position} class is the blank"
    return msgspec.structs.replace(match, task=task, assumptions=(*match.assumptions, assumption))


def score_rows(task: TextRecognition, scores: NDArray[Any]) -> NDArray[Any]:
    """Return the first line's scores [T, C] from [N, T, C] or [T, N, C]."""
    if not isinstance(task, TextLineTask):
        scores = rows_of_crops(scores)
    rows: NDArray[Any] = scores[:, 0] if isinstance(task, TextLineTask) and task.layout == "tnc" else scores[0]
    return rows


def rows_of_crops(scores: NDArray[Any]) -> NDArray[Any]:
    """Return scores as [crops, T, C]; [T, 1, C] -> [1, T, C], for a recognizer of one crop per run."""
    return np.moveaxis(scores, 1, 0) if scores.shape[1] == 1 else scores


def _is_line(image: ImageInput, columns: int) -> bool:
    height, width = input_size(image)
    return height in _HEIGHTS and width > height and width % columns == 0 and width // columns in _STRIDES


def _is_doctr(signature: ModelSignature, image: ImageInput) -> bool:
    if image.color == "gray":
        return False
    return isinstance(signature.hub_files.config.get("vocab"), str) or input_size(image) == _DOCTR_SIZE


def _paddle_picture(image: ImageInput) -> ImageInput:
    half = [0.5] * len(image.mean)
    return msgspec.structs.replace(
        image,
        color="gray" if image.color == "gray" else "bgr",
        mean=half,
        std=half,
        letterbox=Letterbox(mode="line", anchor="top-left", pad="mean"),
    )


def _doctr_picture(image: ImageInput, signature: ModelSignature) -> ImageInput:
    config = signature.hub_files.config
    mean, std = (_three_numbers(config.get(name), own) for name, own in (("mean", _DOCTR_MEAN), ("std", _DOCTR_STD)))
    letterbox = Letterbox(anchor="top-left", pad=0, interpolation="bilinear-antialias")
    return msgspec.structs.replace(image, mean=mean, std=std, letterbox=letterbox)


def _three_numbers(configured: object, otherwise: list[float]) -> list[float]:
    match configured:
        case [float(red), float(green), float(blue)] if min(red, green, blue) > 0:
            return [red, green, blue]
    return otherwise
