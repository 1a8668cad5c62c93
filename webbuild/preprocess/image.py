"""Pictures: decoded as the browser decodes them, and preprocessed into the model's input."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.errors import USAGE, WebbuildError, is_utf8
from webbuild.manifest.manifest import ImageInput, PictureInput
from webbuild.preprocess.letterbox import ImagePlacement, place_image
from webbuild.preprocess.resample import filter_taps, resample

PICTURE_FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "BMP")
"""Pillow formats to accept: those that every browser decodes. Each further decoder adds attack surface."""
LUMA = (0.299, 0.587, 0.114)
"""Weights of red, green and blue in luma (BT.601)."""


def encode_png(rgba: NDArray[np.uint8], *, small: bool = True) -> bytes:
    """Encode a picture [height, width, 4] as PNG: with the best compression if `small`, else fast."""
    from PIL import Image

    buffer = io.BytesIO()
    picture = Image.fromarray(rgba).convert("RGB" if (rgba[..., 3] == 255).all() else "RGBA")
    picture.save(buffer, "PNG", optimize=small, compress_level=1)  # optimize takes level 9 in any case
    return buffer.getvalue()


def load_image(path: Path, data: bytes | None = None) -> NDArray[np.uint8]:
    """Read a picture as RGBA [height, width, 4], upright (EXIF orientation applied), colour profile ignored.

    With `data` it decodes these bytes, and `path` only names them in errors.

    Raises:
        WebbuildError: `unreadable-image`.
    """
    from PIL import Image, ImageOps

    if not is_utf8(path):
        raise WebbuildError("unreadable-image", f"{path}: its name is not UTF-8", "rename the file", exit_code=USAGE)
    try:
        with Image.open(path if data is None else io.BytesIO(data), formats=PICTURE_FORMATS) as image:
            upright = ImageOps.exif_transpose(image)
            if upright.mode.startswith("I"):  # 16-bit grey, which Pillow would clip
                upright = Image.fromarray((np.asarray(upright) >> 8).astype(np.uint8))
            return np.asarray(upright.convert("RGBA"))
    except Exception as error:  # the readers of Pillow's formats raise many types
        raise WebbuildError(
            "unreadable-image",
            f"{path}: {error}",
            "give a JPEG, PNG or WebP picture that an image viewer opens",
            exit_code=USAGE,
        ) from error


def enlarge(rgba: NDArray[np.uint8], box: tuple[float, float, float, float]) -> NDArray[np.uint8]:
    """Return a part of a picture [h, w, 4], x1 y1 x2 y2 in pixels, resized bilinearly to the picture's size."""
    from PIL import Image

    height, width = rgba.shape[:2]
    return np.asarray(Image.fromarray(rgba).resize((width, height), Image.Resampling.BILINEAR, box))


def composite_on_white(rgba: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Composite colours over white by the alpha in the last channel: [h, w, colours + 1] -> [h, w, colours] floats."""
    if (rgba[..., -1] == 255).all():  # nearly every photograph is opaque
        return rgba[..., :-1].astype(np.float64)
    alpha = rgba[..., -1:].astype(np.float64) / 255
    color: NDArray[np.float64] = rgba[..., :-1] * alpha + 255 * (1 - alpha)
    return color


def image_to_tensor(rgba: NDArray[np.uint8], spec: ImageInput) -> tuple[NDArray[Any], ImagePlacement]:
    """Turn a picture [h, w, 4] into the input `spec` describes.

    Returns:
        The tensor in the spec's shape, and the picture's placement in it.
    """
    canvas, placement = image_to_canvas(rgba, spec)
    return normalize(canvas, spec), placement


def image_to_canvas(rgba: NDArray[np.uint8], spec: ImageInput) -> tuple[NDArray[np.float64], ImagePlacement]:
    """Place a picture [h, w, 4] in the input's size, RGB [height, width, 3] of 0..255; also return its placement."""
    height, width = input_size(spec)
    placement = place_image(rgba.shape[1], rgba.shape[0], width, height, spec.letterbox)
    canvas = np.broadcast_to(pad_color(spec), (height, width, 3)).copy()
    rows, columns = (
        range(max(0, start), min(start + drawn, limit))
        for start, drawn, limit in ((placement.top, placement.height, height), (placement.left, placement.width, width))
    )
    canvas[rows.start : rows.stop, columns.start : columns.stop] = _resize_into(rgba, placement, columns, rows, spec)
    return canvas, placement


def pad_color(spec: ImageInput) -> NDArray[np.float64]:
    """Return the RGB levels of the padding."""
    if spec.letterbox.pad != "mean":
        return np.resize(np.array(spec.letterbox.pad, np.float64), 3)
    levels = np.array(spec.mean[:3], np.float64) / spec.scale
    return np.resize(levels[::-1] if spec.color == "bgr" else levels, 3)


def input_size(spec: PictureInput) -> tuple[int, int]:
    """Return the height and width of the input."""
    height, width = spec.shape[2:4] if spec.layout == "nchw" else spec.shape[-3:-1]
    return height, width


def normalize(canvas: NDArray[np.float64], spec: PictureInput) -> NDArray[Any]:
    """Turn RGB values [height, width, 3] of 0..255 into the tensor `spec` describes."""
    if spec.color == "gray":
        canvas = canvas @ np.array([LUMA], np.float64).T
    if spec.color == "rgba":
        canvas = np.concatenate([canvas, np.full((*canvas.shape[:2], 1), 255.0)], axis=-1)
    order = {"rgb": (0, 1, 2), "bgr": (2, 1, 0), "gray": (0,), "rgba": (0, 1, 2, 3)}[spec.color]
    tensor = np.empty((1, len(order), *canvas.shape[:2]), np.float32)
    for channel, (source, mean, std) in enumerate(zip(order, spec.mean, spec.std, strict=True)):
        tensor[0, channel] = (canvas[..., source] * spec.scale - mean) / std
    if spec.dtype != "float32":
        tensor = np.clip(np.rint(tensor), 0, 255).astype(spec.dtype)
    if spec.layout == "nchw":
        return tensor
    last = np.ascontiguousarray(tensor.transpose(0, 2, 3, 1))
    return last if spec.layout == "nhwc" else last[0]


def _resize_into(
    rgba: NDArray[np.uint8], placement: ImagePlacement, columns: range, rows: range, spec: ImageInput
) -> NDArray[np.float64]:
    """Return the resized picture at these columns and rows of the input.

    Channels are resampled one at a time to save memory: float64 takes eight times the picture's bytes.
    """
    interpolation = spec.letterbox.interpolation
    wide = range(columns.start - placement.left, columns.stop - placement.left)
    high = range(rows.start - placement.top, rows.stop - placement.top)
    across = filter_taps(interpolation, placement.source_width, placement.width, wide)
    down = filter_taps(interpolation, placement.source_height, placement.height, high)
    colors = (resample(composite_on_white(rgba[..., [color, 3]]), across, down, interpolation) for color in range(3))
    return np.concatenate(list(colors), axis=-1)
