"""The preprocessing as text, with all its numbers."""

from __future__ import annotations

from collections.abc import Sequence

from webbuild.manifest.manifest import ImageInput, StackInput

_FIT_TEXTS = {"stretch": "stretched to", "letterbox": "letterboxed in", "crop": "cropped to", "line": "as lines in"}


def describe_recipe(image: ImageInput) -> str:
    """Return for instance `RGB, letterboxed in 640 x 640 with grey 114, pixel values 0..255 times 1/255`."""
    height, width = image.shape[2:4] if image.layout == "nchw" else image.shape[-3:-1]
    pad = f" with {_level(image.letterbox.pad)}" if image.letterbox.mode in ("letterbox", "line") else ""
    anchor_text = " at the top left" if pad and image.letterbox.anchor == "top-left" else ""
    edge = f" of {image.letterbox.edge} x {image.letterbox.edge}" if image.letterbox.edge else ""
    fitted = f"{_FIT_TEXTS[image.letterbox.mode]} {width} x {height}{edge}{anchor_text}{pad}"
    return f"{describe_color(image)}, {fitted}, pixel values {describe_values(image)}"


def describe_color(image: ImageInput) -> str:
    """Return the channels: `RGB`, `in grey`."""
    return "in grey" if image.color == "gray" else "RGB and the mask" if image.mask else image.color.upper()


def describe_values(image: ImageInput | StackInput) -> str:
    """Return for instance `0..255 times 1/255, minus 0.5, divided by 0.5`; steps without effect are left out."""
    parts = [f"times {_factor(image.scale)}"] if image.scale != 1 else []
    if any(image.mean):
        parts.append(f"minus {_numbers(image.mean)}")
    if any(value != 1 for value in image.std):
        parts.append(f"divided by {_numbers(image.std)}")
    return f"0..255 {', '.join(parts) or 'as they are'}"


def _level(pad: int | str | Sequence[float]) -> str:
    """Return the padding colour as text: a grey, a colour, or the mean."""
    if isinstance(pad, int):
        return f"grey {pad}"
    return "the mean" if isinstance(pad, str) else f"RGB {_numbers(pad)}"


def _factor(scale: float) -> str:
    """Return a factor as `--scale` takes it: as `1/255` if its reciprocal is a short number."""
    parts = f"{1 / scale:.6g}" if 0 < scale < 1 else ""
    return f"1/{parts}" if 0 < len(parts) <= 5 else f"{scale:g}"


def _numbers(values: Sequence[float]) -> str:
    return ", ".join(f"{value:g}" for value in (values if len(set(values)) > 1 else values[:1]))
