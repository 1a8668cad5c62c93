"""Known picture size of a model with free height and width: from its configuration, or its family's size."""

from __future__ import annotations

from msgspec import Struct

from webbuild.model.signature import ModelSignature
from webbuild.tasks.recognition.matte_families import named_family
from webbuild.tasks.recognition.metadata import image_size
from webbuild.tasks.recognition.text_detectors import named_text_detector
from webbuild.tasks.recognition.text_orientation import orientation_size
from webbuild.tasks.recognition.text_recognizers import line_size


class KnownSize(Struct, frozen=True):
    """Height and width in pixels, and their source as the end of a sentence."""

    size: tuple[int, int]
    source: str


def known_picture_size(signature: ModelSignature) -> KnownSize | None:
    """Return the picture size of a model, None if it is unknown."""
    if (size := image_size(signature)) is not None:
        return KnownSize(size, "as the exporter says")
    if (line := line_size(signature)) is not None:
        return KnownSize(line, "as PaddleOCR pads lines")
    if (line := orientation_size(signature)) is not None:
        return KnownSize(line, "as PaddleOCR resizes lines to find those that are upside down")
    if (detector := named_text_detector(signature)) is not None:
        side = detector.family.size
        return KnownSize((side, side), f"as {detector.family.name} takes pictures")
    named = named_family(signature)
    if named is None or named.family is None:
        return None
    side = named.family.size
    return KnownSize((side, side), f"which {named.family.name} was trained at")
