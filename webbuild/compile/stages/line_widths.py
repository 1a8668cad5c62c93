"""Line widths of a text recognizer stage: each line runs at the narrowest width that holds it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from webbuild.compile.stages.planned_stage import PlannedStage
from webbuild.errors import USAGE, WebbuildError
from webbuild.tasks.options.picture_sizes import PictureSize
from webbuild.tasks.recognition.text_recognizers import line_size

_LINE_WIDTHS = (320, 480, 640, 960, 1280)
"""PaddleOCR pads lines to at least 320 pixels; the other widths hold longer lines with little padding."""
_MAX_WIDTH = 8192


def parse_widths(argument: str | None) -> tuple[int, ...]:
    """Parse `--widths`, such as `320,640`: comma-separated pixels, sorted; empty without the option.

    Raises:
        WebbuildError: `invalid-widths`.
    """
    parts = [] if argument is None else [part.strip() for part in argument.split(",")]
    wrong = next(
        (part for part in parts if not (part.isascii() and part.isdigit() and 0 < int(part) <= _MAX_WIDTH)), None
    )
    if wrong is not None or len(set(parts)) < len(parts):
        why = (
            "a width occurs twice" if wrong is None else f"{wrong or 'nothing'} is not a number from 1 to {_MAX_WIDTH}"
        )
        raise WebbuildError("invalid-widths", f"--widths {argument}: {why}", "write --widths 320,640", exit_code=USAGE)
    return tuple(sorted(map(int, parts)))


def check_widths(stages: Sequence[PlannedStage], widths: Sequence[int]) -> None:
    """Check that `--widths` applies to a text recognizer stage with a free width.

    Raises:
        WebbuildError: `conflicting-options`.
    """
    if not widths or any(_line_height(each) for each in stages[1:]):
        return
    raise WebbuildError(
        "conflicting-options",
        f"--widths {','.join(map(str, widths))}: no stage with a free width reads lines that an earlier stage finds",
        "leave --widths out; a recognizer alone takes --size 320x48,640x48"
        if len(stages) == 1
        else "leave --widths out, or export the recognizer again with a free width",
        exit_code=USAGE,
    )


def line_sizes(stage: PlannedStage, widths: Sequence[int], fixed: Collection[str]) -> tuple[PictureSize, ...]:
    """Return the sizes of a text recognizer stage; none for other stages, or if its width is `fixed`."""
    height = _line_height(stage)
    (spec, *_) = stage.source.signature.inputs
    if not height or {spec.shape[-1], f"{spec.name}:{len(spec.shape) - 1}"} & set(fixed):
        return ()
    return tuple(PictureSize(width, height) for width in widths or _LINE_WIDTHS)


def _line_height(stage: PlannedStage) -> int:
    """Return the line height of a text recognizer stage in pixels, 0 for other stages."""
    if stage.joins or stage.glue is not None or (size := line_size(stage.source.signature)) is None:
        return 0
    known = stage.source.signature.inputs[0].shape[2]
    return known if isinstance(known, int) else size[0]
