"""Metadata that exporters write into a model, validated before use."""

from __future__ import annotations

import ast

from webbuild.model.signature import ModelSignature

_MAX_LENGTH = 200_000
"""Maximum characters of a metadata value to parse; the names of ImageNet's 1,000 classes take a tenth of it."""


def class_names(signature: ModelSignature) -> list[str]:
    """Return the class names by index from `names`, a Python dictionary written as text; empty if unreadable."""
    parsed = parse_literal(signature.metadata.get("names", ""))
    if isinstance(parsed, dict):
        indices = sorted(key for key in parsed if isinstance(key, int))
        return [str(parsed[index]) for index in indices] if indices == list(range(len(parsed))) else []
    return [str(name) for name in parsed] if isinstance(parsed, list) else []


def listed_labels(signature: ModelSignature) -> list[str]:
    """Return the lines of `character`, RapidAI's key for the labels of any model; empty if there are none."""
    text = signature.metadata.get("character", "").removesuffix("\n")
    return text.split("\n") if text else []


def hub_class_names(signature: ModelSignature) -> list[str]:
    """Return the class names by index from `id2label` in `config.json`; empty if there are none, or gaps."""
    labels = signature.hub_files.config.get("id2label")
    if not isinstance(labels, dict):
        return []
    names = {str(index): str(name) for index, name in labels.items()}
    wanted = [str(index) for index in range(len(names))]
    return [names[index] for index in wanted] if all(index in names for index in wanted) else []


def keypoint_shape(signature: ModelSignature) -> tuple[int, int]:
    """Return the number of keypoints and of numbers for each, (0, 0) if unknown."""
    match parse_literal(signature.metadata.get("kpt_shape", "")):
        case [int(count), int(size)] if count > 0 and size in (2, 3):
            return count, size
    return 0, 0


def keypoint_names(signature: ModelSignature) -> list[str]:
    """Return the keypoints' names from `kpt_names`, which has a list for each class; [] if the lists differ."""
    parsed = parse_literal(signature.metadata.get("kpt_names", ""))
    match list(parsed.values()) if isinstance(parsed, dict) else []:
        case [[*names], *others] if all(each == names for each in others):
            return [str(name) for name in names]
    return []


def image_size(signature: ModelSignature) -> tuple[int, int] | None:
    """Return the (height, width) in pixels from the metadata or `preprocessor_config.json`, None if unknown."""
    match parse_literal(signature.metadata.get("imgsz", "")):
        case [int(height), int(width)] if height > 0 and width > 0:
            return height, width
    match signature.hub_files.preprocessor:
        case {"do_center_crop": True, "crop_size": int(side)} if side > 0:
            return side, side
        case {"do_center_crop": True, "crop_size": {"height": int(height), "width": int(width)}}:
            return (height, width) if min(height, width) > 0 else None
        case {"size": {"height": int(height), "width": int(width)}} if height > 0 and width > 0:
            return height, width
    return None


def export_argument(signature: ModelSignature, argument: str) -> object:
    """Return an argument of Ultralytics' exporter as `args` states it, None if it is absent."""
    arguments = parse_literal(signature.metadata.get("args", ""))
    return arguments.get(argument) if isinstance(arguments, dict) else None


def parse_literal(text: str) -> object:
    """Parse a Python literal; None if the text is not a literal or too long."""
    if len(text) > _MAX_LENGTH:
        return None
    try:
        value: object = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None
    return value
