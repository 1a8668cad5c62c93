"""User overrides of class names and preprocessing."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from webbuild.errors import USAGE, WebbuildError
from webbuild.manifest.manifest import ImageInput, Input, Letterbox, StackInput, TensorInput, TensorTask
from webbuild.preprocess.picture_shape import picture_of_shape
from webbuild.preprocess.recipe_text import describe_recipe, describe_values
from webbuild.tasks.options.labels import LabelsFile, read_labels
from webbuild.tasks.options.zero_shot import TextLabels
from webbuild.tasks.registry import kind_of
from webbuild.tasks.task_match import TaskMatch


class Overrides(Struct, frozen=True):
    """The user's overrides.

    Attributes:
        labels: the file of `--labels`.
        image: fields of `ImageInput`.
        letterbox: fields of `Letterbox`.
        note: the picture options as text.
        guess_pictures: whether an input shaped like a picture may be treated as a picture.
        text_labels: labels with their vectors, from a text encoder.
        known: the match of the model, if it is known already.
    """

    labels: LabelsFile | None
    image: dict[str, Any]
    letterbox: dict[str, str]
    note: str
    guess_pictures: bool = False
    text_labels: TextLabels | None = None
    known: TaskMatch | None = None


def parse_overrides(values: Mapping[str, Any], *, guess_pictures: bool = False) -> Overrides:
    """Parse the options, by name; None for an option that was not given.

    Raises:
        WebbuildError: `unreadable-labels`, `bad-number`.
    """
    texts = {name: str(value) for name, value in values.items() if value is not None}
    labels = texts.pop("labels", None)
    picture: dict[str, Any] = {name: texts[name] for name in ("layout", "color") if name in texts}
    if "scale" in texts:
        picture["scale"] = _require_positive("scale", _parse_number("scale", texts["scale"]))
    for name in ("mean", "std"):
        if name in texts:
            picture[name] = _parse_three_numbers(name, texts[name])
    for value in picture.get("std", []):
        _require_positive("std", value)
    letterbox = {
        field: texts[name] for name, field in (("interpolation", "interpolation"), ("resize", "mode")) if name in texts
    }
    note = ", ".join(f"--{name} {text}" for name, text in texts.items())
    return Overrides(
        None if labels is None else read_labels(Path(labels)),
        picture,
        letterbox,
        note,
        guess_pictures and not note,
    )


def apply_overrides(match: TaskMatch, overrides: Overrides) -> TaskMatch:
    """Return the match with the user's overrides.

    Raises:
        WebbuildError: `no-picture`, `wrong-layout` for an option that fits no input, and the errors of `with_labels`.
    """
    match = kind_of(match.task).with_labels(match, overrides.labels)
    return _with_image_options(match, overrides) if overrides.note else match


def _with_image_options(match: TaskMatch, overrides: Overrides) -> TaskMatch:
    at, image = _image_input(match, overrides)
    letterbox = msgspec.structs.replace(image.letterbox, **overrides.letterbox)
    if isinstance(image, StackInput) and "layout" in overrides.image:
        raise _inapplicable_option(
            "wrong-layout", f"{overrides.note}: {_describe(image)} takes a stack", "leave --layout out"
        )
    options = _for_channels({**_identity_normalization(overrides.image), **overrides.image}, image, overrides)
    changed = msgspec.structs.replace(image, letterbox=letterbox, **options)
    if isinstance(changed, ImageInput) and changed.shape[1 if changed.layout == "nchw" else 3] != len(image.mean):
        what = f"{overrides.note}: {_describe(image)} does not have {len(image.mean)} channels there"
        other = "nhwc" if changed.layout == "nchw" else "nchw"
        raise _inapplicable_option("wrong-layout", what, f"leave --layout out: it is {other}")
    inputs: list[Input] = list(match.inputs)
    inputs[at] = changed
    assumption = f"input '{image.name}' takes pictures as the options say: {overrides.note} ({_recipe(changed)})"
    return msgspec.structs.replace(match, inputs=tuple(inputs), assumptions=(*match.assumptions, assumption))


def _identity_normalization(picture: Mapping[str, Any]) -> dict[str, list[float]]:
    """Return mean 0 and std 1 for a `--scale` without them: the model's mean and std belong to its own scale.

    `--mean` or `--std` alone keeps the model's scale.
    """
    plain = {"mean": [0.0] * 3, "std": [1.0] * 3}
    return {name: value for name, value in plain.items() if "scale" in picture and name not in picture}


def _for_channels(picture: Mapping[str, Any], image: ImageInput | StackInput, overrides: Overrides) -> dict[str, Any]:
    """Return mean and std with one number per channel: one for grey, four for RGBA."""
    numbers = {name: each for name, each in picture.items() if name in ("mean", "std")}
    if image.color == "rgba":
        mismatch = picture.get("color", "rgba") != "rgba"
        alpha = {
            name: [*each, each[0] if len(set(each)) == 1 else float(name == "std")] for name, each in numbers.items()
        }
        picture = {**picture, **alpha}
    elif image.color != "gray":
        mismatch = picture.get("color") in ("gray", "rgba")
    else:
        mismatch = picture.get("color", "gray") != "gray" or any(len(set(each)) > 1 for each in numbers.values())
    if mismatch:
        what = f"{overrides.note}: {_describe(image)} has {len(image.mean)} channel(s)"
        raise _inapplicable_option("wrong-layout", what, "leave --color out, and give as many numbers as channels")
    if image.color == "gray":
        return {**picture, **{name: each[:1] for name, each in numbers.items()}}
    return dict(picture)


def _recipe(image: ImageInput | StackInput) -> str:
    """Return the preprocessing as text."""
    return describe_recipe(image) if isinstance(image, ImageInput) else f"pixel values {describe_values(image)}"


def _image_input(match: TaskMatch, overrides: Overrides) -> tuple[int, ImageInput | StackInput]:
    """Return the index and spec of the only picture input; for task `tensor`, of the only input shaped like one."""
    images: list[tuple[int, ImageInput | StackInput]] = [
        (at, spec) for at, spec in enumerate(match.inputs) if isinstance(spec, ImageInput | StackInput)
    ]
    if not images and isinstance(match.task, TensorTask):
        layout = overrides.image.get("layout")
        tensors = [(at, spec) for at, spec in enumerate(match.inputs) if isinstance(spec, TensorInput)]
        pictures = [(at, image) for at, spec in tensors if (image := picture_of_shape(spec, 1, layout)) is not None]
        images = [(at, msgspec.structs.replace(image, letterbox=Letterbox())) for at, image in pictures]
    if len(images) == 1:
        return images[0]
    listed = ", ".join(_describe(spec) for spec in match.inputs)
    count = "more than one input" if images else "no input"
    wanted = "float32 or uint8 [1, c, h, w] or [1, h, w, c] with 1, 3 or 4 channels"
    what = f"{overrides.note}: {count} takes a picture, {wanted}: {listed}"
    raise _inapplicable_option("no-picture", what, "leave these options out, or export such an input")


def _describe(spec: Input) -> str:
    return f"'{spec.name}' {spec.dtype} {spec.shape}"


def _parse_three_numbers(name: str, text: str) -> list[float]:
    values = [_parse_number(name, part) for part in text.split(",")]
    if len(values) == 1:
        return values * 3
    if len(values) != 3:
        raise _invalid_value(name, text, "one number, or three with commas between them")
    return values


def _parse_number(name: str, text: str) -> float:
    """Parse a number or a fraction."""
    numerator, slash, denominator = text.partition("/")
    try:
        value = float(numerator) / float(denominator) if slash else float(numerator)
    except (ValueError, ZeroDivisionError, OverflowError) as error:
        raise _invalid_value(name, text, "a number such as 0.5, or a fraction such as 1/255") from error
    if not math.isfinite(value):
        raise _invalid_value(name, text, "a finite number")
    return value


def _require_positive(name: str, value: float) -> float:
    if value <= 0:
        raise _invalid_value(name, f"{value:g}", "a number above 0")
    return value


def _invalid_value(name: str, text: str, expected: str) -> WebbuildError:
    return _inapplicable_option("bad-number", f"--{name} {text}: this is not {expected}", f"give {expected}")


def _inapplicable_option(code: str, what: str, fix: str) -> WebbuildError:
    return WebbuildError(code, what, fix, exit_code=USAGE)
