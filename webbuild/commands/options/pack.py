"""Arguments and options of `webbuild pack`."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Literal

import click

from webbuild.commands.dataclass_command import argument, option
from webbuild.commands.options.shared import dims_option, export_option, json_option, set_option
from webbuild.manifest.inputs import Color, Interpolation


class TaskChoice(click.Choice[str]):
    """The kinds in the folder of tasks, which is walked when they are needed: their modules import numpy."""

    case_sensitive = True

    def __init__(self) -> None:
        """Choose from nothing yet."""

    @cached_property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]
        """Every kind of task."""
        from webbuild.tasks.registry import task_kinds

        return tuple(task_kinds())


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PreprocessOptions:
    """Options that override what the model says about its classes and its image input."""

    labels: Path | None = option(
        metavar="FILE", help="Class names: one a line, a JSON list, or a JSON object of index to name."
    )
    scale: str | None = option(
        metavar="NUMBER", help="Factor of pixel values 0..255: a number, or 1/255. Sets mean 0 and std 1 unless given."
    )
    mean: str | None = option(metavar="R,G,B", help="Mean, subtracted after --scale: one number or three.")
    std: str | None = option(metavar="R,G,B", help="Standard deviation, divided by after --mean: one number or three.")
    layout: Literal["nchw", "nhwc"] | None = option(help="Layout of the image input.")
    color: Color | None = option(help="Channel order of the image input; gray for one channel, rgba for 4.")
    resize: Literal["letterbox", "stretch", "crop"] | None = option(
        help="How an image of another aspect ratio is resized: padded, stretched, or center-cropped."
    )
    interpolation: Interpolation | None = option(help="Interpolation for resizing images.")

    @property
    def overrides(self) -> dict[str, object]:
        """These options by name, None for one that was not given."""
        return {each.name: getattr(self, each.name) for each in fields(PreprocessOptions)}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PackArguments(PreprocessOptions):
    """Patch MODEL, prove it, write a bundle with a page, and compare it in Chromium.

    MODEL is an .onnx file, a folder with an export in it or in its folder `onnx`, a repository of the Hugging Face
    Hub (hf:owner/name, hf:owner/name@revision, hf:owner/name:FILE), or a .pt of Ultralytics, which exports it: loading
    such a file runs the code that is pickled in it.

    Put --sample after MODEL: it takes every file up to the next option. Without it, the images in a folder `samples`
    next to MODEL are used.

    A model that takes a stack of images is given folders, one per stack, or the images of one stack. Their focus
    distances are a list in `focus.json` in the folder. Without --sample, folders in `samples` next to MODEL are used.

    A detector with a text prompt needs its tokenizer.json or vocab.txt next to MODEL. It is proven on the prompts
    given, else on those in `samples/prompts.txt` next to MODEL, one a line.

    --precision auto searches how much of the model can be float16 without changing a result on the samples: within
    0.01 of a score, half a pixel, 1 % of other outputs. Browsers whose GPU has float16 load that graph.

    Example: webbuild pack yolo-pose.onnx
    """

    @property
    def may_guess_pictures(self) -> bool:
        """Whether an input of the shape of a picture is one where nothing says so: not for tensors that are given."""
        return self.task is None and not any(file.suffix == ".npz" for file in self.samples)

    model: Path = argument()
    out: Path | None = option("-o", "--out", help="Folder to write. [default: dist/<name of the model>]")
    task: str | None = option(type=TaskChoice(), help="Task of the model, where the inferred one is wrong.")
    dims: tuple[str, ...] = dims_option()
    size: str | None = option(
        metavar="SIZE,...",
        help="Size of the pictures, where it is free: 640, or 640x480 (width x height). Several sizes, such as "
        "320,480,640, are packed into one bundle and share the weights; a run takes the one that fits its picture.",
    )
    batch: str | None = option(
        metavar="N,...",
        help="Pictures in one run, where the batch is free: 1,4 packs a graph for one and one for four, which share "
        "the weights. run() of several pictures takes the largest that they fill. [default: 1]",
    )
    export: tuple[str, ...] = export_option()
    values: tuple[str, ...] = set_option()
    samples: tuple[Path, ...] = option(
        "--sample", default=(), metavar="FILE...", help="Images, .npz, or folders of stacks to prove with."
    )
    prompts: tuple[str, ...] = option(
        "--prompt", default=(), metavar="TEXT", help="Text prompt for the samples; repeatable."
    )
    nms: Literal["gpu", "cpu", "keep"] = option(
        default="gpu", help="NMS on WebGPU: in fixed shapes on the GPU, on the CPU, or exactly as exported."
    )
    weights: Literal["fp32", "int8"] = option(
        "--weight-dtype", default="fp32", help="Storage of weights: fp32, or int8 with scales, dequantised at load."
    )
    precision: Literal["fp32", "fp16", "mixed", "auto"] = option(
        default="fp32",
        help="Also emit a float16 graph: fp16 = all convertible nodes; mixed = the largest subset that keeps accuracy; "
        "auto = mixed if it saves 20 % of the weights.",
    )
    budget: tuple[str, ...] = option(
        default=(),
        metavar="KEY=VALUE",
        help="Budget of that search: evaluations=20, seconds=60; saving=0.2, the share of the weights auto must save.",
    )
    no_verify: bool = option(default=False, help="Do not run the bundle in Chromium.")
    dry_run: bool = option(default=False, help="Print what would be done; write nothing.")
    force: bool = option(default=False, help="Replace an existing bundle.")
    as_json: bool = json_option()
