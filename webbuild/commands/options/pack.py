"""Arguments and options of `webbuild pack`."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Literal

import click

from webbuild.commands.dataclass_command import argument, option
from webbuild.commands.options.shared import (
    LimitArguments,
    dims_option,
    export_option,
    json_option,
    set_option,
    state_option,
)
from webbuild.manifest.inputs.letterbox import Interpolation
from webbuild.manifest.inputs.picture import Color


class TaskChoice(click.Choice[str]):
    """The kinds of tasks, loaded lazily: their modules import numpy."""

    case_sensitive = True

    def __init__(self) -> None:
        """Skip the base class, which would need the choices."""

    @cached_property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]
        """Every kind of task."""
        from webbuild.tasks.registry import task_kinds

        return tuple(task_kinds())


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PreprocessOptions:
    """Options that override the model's metadata about its classes and its image input."""

    labels: Path | None = option(
        metavar="FILE",
        help="Class names: one per line, a JSON list, or a JSON object of index to name. For a text recognizer its "
        "dictionary: one character per line.",
    )
    scale: str | None = option(
        metavar="NUMBER", help="Factor for pixel values 0..255, such as 1/255. Also sets mean 0 and std 1 unless given."
    )
    mean: str | None = option(metavar="R,G,B", help="Mean, subtracted after --scale: one number or three.")
    std: str | None = option(metavar="R,G,B", help="Standard deviation, divided by after --mean: one number or three.")
    layout: Literal["nchw", "nhwc"] | None = option(help="Layout of the image input.")
    color: Color | None = option(help="Channel order of the image input; gray for one channel, rgba for 4.")
    resize: Literal["letterbox", "stretch", "crop", "line"] | None = option(
        help="How to fit an image of another aspect ratio: letterbox pads it, stretch ignores the ratio, crop takes "
        "the center, line is for a line of text: as high as the input, and padded right."
    )
    interpolation: Interpolation | None = option(help="Interpolation for resizing images.")

    @property
    def overrides(self) -> dict[str, object]:
        """These options by name, None if not given."""
        return {each.name: getattr(self, each.name) for each in fields(PreprocessOptions)}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PackArguments(PreprocessOptions, LimitArguments):
    """Patch MODEL, prove it equal to the original, write a bundle with a page, and compare it in Chromium.

    Several files, such as an encoder and its decoder, become the stages of one bundle: webbuild joins outputs to inputs
    of the same name, else of the same type and shape, and proves each stage and all of them together.

    MODEL is one of these:
    an .onnx file;
    a folder with an .onnx file, or an encoder and its decoder, or an image and a text encoder, in it or in `onnx`;
    a Hugging Face Hub repository: hf:owner/name, hf:owner/name@revision or hf:owner/name:FILE;
    an Ultralytics .pt checkpoint, which Ultralytics exports. Loading a .pt file runs the code pickled in it.

    Put --sample after MODEL: it takes every file and folder up to the next option. The default is the images in the
    folder `samples` next to MODEL.

    If the model takes a stack of images, give one folder per stack, or the images of one stack. A file `focus.json` in
    the folder lists the focus distances. The default is the folders in `samples` next to MODEL.

    A detector with a text prompt needs its tokenizer.json or vocab.txt next to MODEL. The proof uses the prompts of
    --prompt; the default is `samples/prompts.txt` next to MODEL, one prompt per line.

    --precision auto searches for the largest part of the model that can be float16 without changing a result on the
    samples. The limits are 0.01 of a score, half a pixel, and 1 % of other outputs. Browsers whose GPU supports
    float16 load that graph.

    Example: webbuild pack yolo-pose.onnx
    """

    @property
    def may_guess_pictures(self) -> bool:
        """Whether an input with the shape of a picture is assumed to be one: not with --task or .npz samples."""
        return self.task is None and not any(file.suffix == ".npz" for file in self.samples)

    models: tuple[Path, ...] = argument(metavar="MODEL...", required=False)
    pipeline: Path | None = option(
        metavar="FILE", help="TOML file that names the stages of a model and joins them, in place of MODEL."
    )
    glue: Path | None = option(
        metavar="FILE", help="JavaScript module that makes inputs of the last MODEL from outputs of those before it."
    )
    out: Path | None = option("-o", "--out", help="Folder to write. [default: dist/<name of the model>]")
    task: str | None = option(type=TaskChoice(), help="Task of the model, if the inferred one is wrong.")
    dims: tuple[str, ...] = dims_option()
    size: tuple[str, ...] = option(
        default=(),
        metavar="SIZE,...",
        help="Picture size for a model with free height and width: 640, or 640x480 (width x height). Several sizes, "
        "such as 320,480,640, go into one bundle and share the weights; each run uses the one that fits its picture.",
    )
    widths: str | None = option(
        metavar="PIXELS,...",
        help="Widths of a text recognizer after a detector, such as 320,640: each line runs at the narrowest that it "
        "fits into. [default: 320,480,640,960,1280 if the model's width is free]",
    )
    batch: str | None = option(
        metavar="N,...",
        help="Batch sizes for a model with a free batch: 1,4 packs one graph for one picture and one for four, which "
        "share the weights. run() with several pictures uses the largest batch that they fill. [default: 1]",
    )
    export: tuple[str, ...] = export_option()
    values: tuple[str, ...] = set_option()
    states: tuple[str, ...] = state_option()
    samples: tuple[Path, ...] = option(
        "--sample",
        default=(),
        metavar="FILE...",
        help="Images, folders of images, .npz, or folders of stacks to prove with.",
    )
    prompts: tuple[str, ...] = option(
        "--prompt", default=(), metavar="TEXT", help="Text prompt for the samples; repeatable."
    )
    text: Path | None = option(
        metavar="FILE",
        help="Text encoder for MODEL, an image encoder. It ships with MODEL, and embeds texts at run time. With "
        "--labels it embeds the labels when packing, and does not ship: the bundle classifies by these labels.",
    )
    tokenizer: Path | None = option(
        metavar="FILE",
        help="tokenizer.json of the text encoder, or CLIP's bpe_simple_vocab_16e6.txt.gz. [default: the file next to "
        "it]",
    )
    templates: tuple[str, ...] = option(
        "--template",
        default=(),
        metavar="TEXT",
        help="Text around a label, such as 'a photo of a {}'; repeatable: the vectors of all are averaged. "
        "[default: the label alone]",
    )
    logit_scale: float | None = option(
        metavar="NUMBER", help="Factor of the cosine with --text. [default: from the weights, else 100 as in CLIP]"
    )
    logit_bias: float | None = option(
        metavar="NUMBER",
        help="Added after --logit-scale, as in SigLIP: probabilities are then a sigmoid, not a softmax.",
    )
    nms: Literal["shader", "gpu", "auto", "cpu", "keep"] = option(
        default="shader",
        help="NMS on WebGPU: shader = in a shader of the runtime if possible, else gpu; gpu = in the graph with fixed "
        "shapes; auto = the faster of both in Chromium; cpu = on the CPU; keep = as exported.",
    )
    weights: Literal["fp32", "int8"] = option(
        "--weight-dtype", default="fp32", help="Storage of weights: fp32, or int8 with scales, dequantized at load."
    )
    precision: Literal["fp32", "fp16", "mixed", "auto"] = option(
        default="fp32",
        help="Also emit a float16 graph: fp16 = all convertible nodes; mixed = the largest subset that keeps accuracy; "
        "auto = mixed if it saves 20 % of the weights.",
    )
    budget: tuple[str, ...] = option(
        default=(),
        metavar="KEY=VALUE",
        help="Limit of the --precision search: evaluations=40 graphs, or gmacs=20000 billion multiplications of their "
        "runs; seconds=1800 as a last resort. saving=0.2: share of the weights that auto must save.",
    )
    no_verify: bool = option(default=False, help="Do not run the bundle in Chromium.")
    no_cache: bool = option(default=False, help="Plan and prove everything again, and cache nothing for the next pack.")
    dry_run: bool = option(default=False, help="Print the rewrites; write nothing.")
    force: bool = option(default=False, help="Replace an existing bundle.")
    as_json: bool = json_option()
