"""What the user knows better than the model says: its classes' names, and how pictures go in."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from webbuild.errors import USAGE, WebbuildError
from webbuild.facts import TensorFact
from webbuild.labels import read_labels
from webbuild.manifest import ImageInput, Input, StackInput, TensorInput, TensorTask
from webbuild.tasks._base import Guess
from webbuild.tasks.export_form import image_input


class Overrides(Struct, frozen=True):
    """The options that were given. `picture` holds fields of `ImageInput`, `letterbox` of `Letterbox`."""

    file: str
    labels: list[str] | None
    picture: dict[str, Any]
    letterbox: dict[str, str]
    said: str


def parse_overrides(given: Mapping[str, Any]) -> Overrides:
    """Read the options by their names, None for one that was not given.

    Raises:
        WebbuildError: `unreadable-labels`, `bad-number`.
    """
    texts = {name: str(value) for name, value in given.items() if value is not None}
    labels = texts.pop("labels", None)
    picture: dict[str, Any] = {name: texts[name] for name in ("layout", "color") if name in texts}
    if "scale" in texts:
        picture["scale"] = _positive("scale", _number("scale", texts["scale"]))
    for name in ("mean", "std"):
        if name in texts:
            picture[name] = _three(name, texts[name])
    for value in picture.get("std", []):
        _positive("std", value)
    letterbox = {field: texts[name] for name, field in (("resampler", "resampler"), ("fit", "mode")) if name in texts}
    said = ", ".join(f"--{name} {text}" for name, text in texts.items())
    return Overrides(labels or "", None if labels is None else read_labels(Path(labels)), picture, letterbox, said)


def override(known: Guess, wanted: Overrides) -> Guess:
    """Return the guess with everything that was given in its place.

    Raises:
        WebbuildError: `wrong-labels`, `no-picture`, `wrong-layout` for an option that fits nothing the model has.
    """
    if wanted.labels is not None:
        known = _named(known, wanted.labels, wanted.file)
    return _pictured(known, wanted) if wanted.said else known


def _named(known: Guess, labels: list[str], file: str) -> Guess:
    classes = getattr(known.task, "classes", None)
    if classes is None:
        raise _misfit("wrong-labels", f"--labels {file}: a model of plain tensors has no classes", "say --task too")
    if len(labels) != len(classes):
        what = f"--labels {file}: {len(labels)} name(s), the model has {len(classes)} class(es)"
        raise _misfit("wrong-labels", what, "give one name for each class, in the order of their indices")
    named = msgspec.structs.replace(known.task, classes=labels)
    said = f"the classes are called as {Path(file).name} says"
    return msgspec.structs.replace(known, task=named, assumptions=(*known.assumptions, said))


def _pictured(known: Guess, wanted: Overrides) -> Guess:
    at, image = _picture(known, wanted)
    letterbox = msgspec.structs.replace(image.letterbox, **wanted.letterbox)
    if isinstance(image, StackInput) and "layout" in wanted.picture:
        raise _misfit("wrong-layout", f"{wanted.said}: {_describe(image)} takes a stack", "leave --layout out")
    changed = msgspec.structs.replace(image, letterbox=letterbox, **wanted.picture)
    if isinstance(changed, ImageInput) and changed.shape[1 if changed.layout == "nchw" else 3] != 3:
        what = f"{wanted.said}: {_describe(image)} has not 3 channels there"
        other = "nhwc" if changed.layout == "nchw" else "nchw"
        raise _misfit("wrong-layout", what, f"leave --layout out: it is {other}")
    inputs: list[Input] = list(known.inputs)
    inputs[at] = changed
    said = f"input '{image.name}' takes pictures as the options say: {wanted.said}"
    return msgspec.structs.replace(known, inputs=tuple(inputs), assumptions=(*known.assumptions, said))


def _picture(known: Guess, wanted: Overrides) -> tuple[int, ImageInput | StackInput]:
    """Return the one input that takes pictures and its place; of plain tensors the one that could."""
    found: list[tuple[int, ImageInput | StackInput]] = [
        (at, spec) for at, spec in enumerate(known.inputs) if isinstance(spec, ImageInput | StackInput)
    ]
    if not found and isinstance(known.task, TensorTask):
        both: tuple[Literal["nchw", "nhwc"], ...] = ("nchw", "nhwc")
        layouts = [layout for layout in both if wanted.picture.get("layout", layout) == layout]
        tensors = [(at, spec) for at, spec in enumerate(known.inputs) if isinstance(spec, TensorInput)]
        for layout in layouts:
            facts = [(at, TensorFact(spec.name, spec.dtype, tuple(spec.shape))) for at, spec in tensors]
            found = found or [(at, image) for at, fact in facts if (image := image_input(fact, layout)) is not None]
    if len(found) == 1:
        return found[0]
    listed = ", ".join(_describe(spec) for spec in known.inputs)
    what = (
        f"{wanted.said}: {'no input' if not found else 'more than one input'} takes a picture of 3 channels: {listed}"
    )
    raise _misfit("no-picture", what, "leave these options out")


def _describe(spec: Input) -> str:
    return f"'{spec.name}' {spec.dtype} {spec.shape}"


def _three(name: str, text: str) -> list[float]:
    values = [_number(name, part) for part in text.split(",")]
    if len(values) == 1:
        return values * 3
    if len(values) != 3:
        raise _bad(name, text, "one number, or three with commas between them")
    return values


def _number(name: str, text: str) -> float:
    """Return a number or a fraction."""
    above, slash, below = text.partition("/")
    try:
        value = float(above) / float(below) if slash else float(above)
    except (ValueError, ZeroDivisionError, OverflowError) as error:
        raise _bad(name, text, "a number such as 0.5, or a fraction such as 1/255") from error
    if not math.isfinite(value):
        raise _bad(name, text, "a finite number")
    return value


def _positive(name: str, value: float) -> float:
    if value <= 0:
        raise _bad(name, f"{value:g}", "a number above 0")
    return value


def _bad(name: str, text: str, wanted: str) -> WebbuildError:
    return _misfit("bad-number", f"--{name} {text}: this is not {wanted}", f"give {wanted}")


def _misfit(code: str, what: str, fix: str) -> WebbuildError:
    return WebbuildError(code, what, fix, exit_code=USAGE)
