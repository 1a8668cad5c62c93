"""A prediction that is a map or a picture, as a small image in a report."""

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
    """Return a PNG as a data URL; empty where predictions of the task are no images, or there is none.

    Args:
        task: says what the numbers mean.
        prediction: what is drawn, every pixel as long as it is small.
        reference: the prediction whose extent colours are spread over, where the task knows none.
        file: the picture that it is of.
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
