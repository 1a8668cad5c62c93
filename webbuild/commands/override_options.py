"""The options of `webbuild pack` that say what the model does not: class names, and how pictures go in."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from webbuild.commands.option_group import option_group

_OPTIONS = {
    "labels": click.option(
        "--labels",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Names of the classes: one a line, a JSON list, or a JSON object of index to name.",
    ),
    "scale": click.option(
        "--scale", metavar="NUMBER", help="What pixel values of 0..255 are multiplied by: a number, or 1/255."
    ),
    "mean": click.option("--mean", metavar="R,G,B", help="What is subtracted after --scale: one number, or three."),
    "std": click.option("--std", metavar="R,G,B", help="What is divided by after --mean: one number, or three."),
    "layout": click.option("--layout", type=click.Choice(["nchw", "nhwc"]), help="Where the picture's channels are."),
    "color": click.option("--color", type=click.Choice(["rgb", "bgr"]), help="Order of the channels."),
    "fit": click.option(
        "--fit",
        type=click.Choice(["letterbox", "stretch", "crop"]),
        help="How a picture of another shape goes in: padded, stretched, or cropped to its middle.",
    ),
    "resampler": click.option(
        "--resampler",
        type=click.Choice(["bilinear", "bilinear-antialias", "nearest", "bicubic"]),
        help="How a picture of another size is resized.",
    ),
}


def override_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options to a command, which gets them as `overrides`, by name, None for one that was not given."""

    @functools.wraps(command)
    def gathered(**arguments: Any) -> None:
        overrides = {name: arguments.pop(name) for name in _OPTIONS}
        command(overrides=overrides, **arguments)

    return option_group(*_OPTIONS.values())(gathered)
