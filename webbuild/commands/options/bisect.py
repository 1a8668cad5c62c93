"""Arguments and options of `webbuild bisect`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import click

from webbuild.browser.driven_browser import BrowserName
from webbuild.commands.dataclass_command import argument, option
from webbuild.commands.options.shared import dims_option, json_option


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BisectArguments:
    """Find the node that makes a backend give other results, throw, or fail to create a session.

    bisect runs parts of the graph in a browser. Each part gets the reference's values as inputs, so errors of earlier
    nodes do not count. For each node found, bisect writes the smallest graph that shows the error with its real
    inputs, a page that runs it on your own GPU, and an issue text for onnxruntime. Exit code 0: nothing differs.

    Example: webbuild bisect dist/yolo-pose --browser firefox
    """

    subject: Path = argument(metavar="DIR|MODEL")
    backend: Literal["webgpu", "wasm"] = option(default="webgpu", help="Backend to search.")
    browser: BrowserName = option(default="chromium", help="Browser to search in. webkit has WASM alone.")
    precision: Literal["fp32", "fp16", "mixed"] = option(default="fp32", help="Graph of the bundle to search.")
    stage: str = option(
        default="", metavar="NAME", help="Stage of the bundle to search, if it has several. [default: the first]"
    )
    size: str | None = option(
        metavar="SIZE", help="Picture size to search, if it has several: 640, or 640x480. [default: the first]"
    )
    against: Literal["native", "wasm"] = option("--reference", default="native", help="Reference backend.")
    tolerance: float | None = option(
        type=click.FloatRange(min=0, min_open=True),
        help="Relative tolerance: fraction of the tensor's largest magnitude. [default: 1e-4, float16 0.01]",
    )
    outputs: tuple[str, ...] = option(
        "--output", default=(), metavar="NAME", help="Search only the nodes that this output depends on."
    )
    inputs: tuple[Path, ...] = option(
        "--sample",
        default=(),
        metavar="FILE...",
        help="Images or folders of images for a bundle of pictures, else .npz.",
    )
    dims: tuple[str, ...] = dims_option()
    out: Path | None = option("-o", "--out", help="Folder to write. [default: bisect-<name>]")
    seconds: float = option(default=300, type=click.FloatRange(min=1), help="Time limit of one session.")
    resume: bool = option(default=False, help="Continue an interrupted search.")
    force: bool = option(default=False, help="Replace the folder of an earlier search.")
    as_json: bool = json_option()
