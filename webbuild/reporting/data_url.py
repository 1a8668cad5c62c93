"""Pictures in reports: scaled down, upright (EXIF applied), as data URLs."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webbuild.errors import WebbuildError
from webbuild.preprocess.image import load_image

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

_MAX_SIDE = 880
"""Pixels of the longer side, enough for a card on a wide screen."""


def image_data_url(file: Path) -> str | None:
    """Return a picture as a data URL without metadata; None if it can no longer be read."""
    from PIL import Image

    try:
        image = Image.fromarray(load_image(file))
    except WebbuildError:
        return None
    image.thumbnail((_MAX_SIDE, _MAX_SIDE))
    paper = Image.new("RGB", image.size, "white")
    paper.paste(image, mask=image.getchannel("A"))
    return encode_data_url(paper, "JPEG", quality=80)


def encode_data_url(image: Picture, kind: str, **options: Any) -> str:
    """Return a picture as a data URL, in a format of Pillow, with Pillow's options."""
    buffer = io.BytesIO()
    image.save(buffer, kind, optimize=True, **options)
    return f"data:image/{kind.lower()};base64," + base64.b64encode(buffer.getvalue()).decode()
