"""Picture sizes: parsed from `--size`, and set on the free heights and widths of a model's inputs."""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct

from webbuild.errors import USAGE, WebbuildError
from webbuild.model.signature import ModelSignature
from webbuild.tasks.options.symbolic_dims import picture_sides
from webbuild.tasks.recognition.grounding_dino import PIXEL_MASK_NAMES

_SIZE = re.compile(r"([1-9]\d{0,4})(?:x([1-9]\d{0,4}))?", re.ASCII)


class PictureSize(Struct, frozen=True):
    """The pixels of a picture's width and height."""

    width: int
    height: int

    @property
    def name(self) -> str:
        """`WIDTHxHEIGHT`, for squares too."""
        return f"{self.width}x{self.height}"


def parse_size(argument: str | None) -> PictureSize | None:
    """Parse `--size` of a command that takes one size: `640` for a square, or `640x480` for width and height.

    Raises:
        WebbuildError: `invalid-size`.
    """
    if argument is not None and "," in argument:
        raise _invalid(argument, "this command takes one size", "give one of them, such as --size 640")
    return next(iter(parse_sizes(argument)), None)


def parse_sizes(argument: str | None) -> tuple[PictureSize, ...]:
    """Parse `--size`: `320,640x480`, distinct sizes separated by commas; () if the option is missing.

    Raises:
        WebbuildError: `invalid-size`.
    """
    if argument is None:
        return ()
    fix = "write for example --size 640, --size 640x480, or --size 320,480,640"
    sizes: list[PictureSize] = []
    for part in argument.split(","):
        match = _SIZE.fullmatch(part.strip())
        if match is None:
            raise _invalid(argument, f"{part.strip() or 'nothing'} is neither PIXELS nor WIDTHxHEIGHT", fix)
        size = PictureSize(int(match[1]), int(match[2] or match[1]))
        if size in sizes:
            raise _invalid(argument, f"{size.name} is there twice", fix)
        sizes.append(size)
    return tuple(sizes)


def _invalid(argument: str, why: str, fix: str) -> WebbuildError:
    return WebbuildError("invalid-size", f"--size {argument}: {why}", fix, exit_code=USAGE)


def with_size(signature: ModelSignature, size: PictureSize | None, dims: Mapping[str, int]) -> dict[str, int]:
    """Return `dims` with a size for each free height and width of the picture inputs.

    Keys are dimension names, or "input:axis" for dimensions without one. Nothing is added for a model exported at that
    size.

    Raises:
        WebbuildError: `fixed-size`; `conflicting-options` if `dims` has one of these axes already.
    """
    if size is None:
        return dict(dims)
    pictures = [(spec, axes) for spec in signature.inputs if (axes := picture_sides(spec))]
    free = [(spec, axes) for spec, axes in pictures if any(not isinstance(spec.shape[axis], int) for axis in axes)]
    sides = [
        (spec, axis, wanted)
        for spec, axes in free or pictures
        for axis, wanted in zip(axes, (size.height, size.width), strict=True)
    ]
    if not sides or any(isinstance(dim := spec.shape[axis], int) and dim != wanted for spec, axis, wanted in sides):
        raise WebbuildError(
            "fixed-size",
            f"{signature.file}: --size {size.name}: {_fixed_sizes(signature) or 'no input looks like a picture'}",
            "leave --size out, or export the model again with free height and width (dynamic axes)",
            exit_code=USAGE,
        )
    masks = [spec for spec in signature.inputs if spec.name in PIXEL_MASK_NAMES and len(spec.shape) == 3]
    sides += [(spec, axis, wanted) for spec in masks for axis, wanted in ((1, size.height), (2, size.width))]
    sized: dict[str, int] = {}
    for spec, axis, wanted in sides:
        dim, key = spec.shape[axis], f"{spec.name}:{axis}"
        if isinstance(dim, int):
            continue
        if twice := next((name for name in (key, dim) if name in dims), None):
            raise WebbuildError(
                "conflicting-options",
                f"--size {size.name} and --dim {twice}={dims[twice]} both give the size of input '{spec.name}'",
                "leave one of them out",
                exit_code=USAGE,
            )
        sized[dim or key] = wanted
    return {**dims, **sized}


def _fixed_sizes(signature: ModelSignature) -> str:
    """Return as text the fixed sizes of the picture inputs; a free side is "any"."""
    sentences = []
    for spec in signature.inputs:
        sides = [dim if isinstance(dim := spec.shape[axis], int) else "any" for axis in picture_sides(spec)]
        if sides and sides != ["any", "any"]:
            sentences.append(f"input '{spec.name}' takes pictures of {sides[1]}x{sides[0]}, fixed when it was exported")
    return "; ".join(sentences)
