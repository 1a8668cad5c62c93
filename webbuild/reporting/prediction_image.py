"""Small images in reports of predictions that are maps or pictures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import Task
from webbuild.preprocess.image import load_image
from webbuild.reporting.data_url import encode_data_url
from webbuild.tasks.registry import kind_of

_MAX_SIDE = 440
"""Pixels of the longer side."""


def prediction_image_url(
    task: Task, prediction: Sequence[Any], reference: Sequence[Any] = (), file: Path | None = None
) -> str:
    """Return a PNG as a data URL; empty if predictions of the task are not images, or there is no prediction.

    Args:
        task: the task, which gives the values their meaning.
        prediction: the prediction to draw; a large one is scaled down.
        reference: the prediction that gives the value range of the colours, if the task has no fixed range.
        file: the source picture.
    """
    kind = kind_of(task)
    if not kind.makes_image or not prediction:
        return ""
    from PIL import Image

    try:
        pixels = None if file is None else load_image(file)
    except WebbuildError:
        pixels = None
    image = Image.fromarray(kind.image(task, prediction[0], next(iter(reference), prediction[0]), pixels))
    image.thumbnail((_MAX_SIDE, _MAX_SIDE), Image.Resampling.BOX)
    return encode_data_url(image, "PNG")
