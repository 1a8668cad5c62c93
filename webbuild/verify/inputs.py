"""Inputs of a verification: pictures, recorded tensors, or random numbers from a fixed seed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.manifest.manifest import (
    CropInput,
    FocusInput,
    ImageInput,
    Manifest,
    NumberInput,
    OptionInput,
    StackInput,
    StageInput,
    StateInput,
    TensorInput,
)
from webbuild.passes.analysis.input_ranges import InputRange
from webbuild.preprocess.image import load_image
from webbuild.preprocess.image_stack import focus_tensor, stack_tensor
from webbuild.preprocess.letterbox import ImagePlacement
from webbuild.preprocess.mask import find_mask, sample_box, sample_hole, with_hole
from webbuild.preprocess.number_feeds import number_feeds
from webbuild.preprocess.picture import picture_to_tensor
from webbuild.preprocess.point_prompt import PointPrompt
from webbuild.preprocess.prompt import Prompt
from webbuild.preprocess.reference_image import choose_reference_image, reference_image_feeds
from webbuild.preprocess.size_feeds import size_feeds
from webbuild.preprocess.state_feeds import state_feeds
from webbuild.samples.focal_stack import FocalStack, stacks_from_paths
from webbuild.samples.npz import load_npz_inputs
from webbuild.samples.random_inputs import normal_tensor
from webbuild.samples.sample import Sample
from webbuild.samples.sample_files import expand_folders
from webbuild.samples.sequences import make_sequence, make_video
from webbuild.samples.texts import text_title
from webbuild.tasks.registry import kind_of
from webbuild.tasks.task_match import TaskMatch
from webbuild.verify.bundle import Bundle
from webbuild.verify.golden_reader import read_golden

Feeds = dict[str, NDArray[Any]]

_WHOLE = InputRange(1, 2, "any operator")
_EITHER = InputRange(0, 1, "any operator", (1, 0))


class VerifyInput(Struct, frozen=True):
    """One input of a verification.

    Attributes:
        title: the name in reports.
        feeds: the tensors.
        file: the picture, or the first picture of a stack.
        placement: the position of the picture in the model's input.
        translucent: whether the picture has alpha below 255.
        stack: all pictures of a stack.
        focus: the focal distances of a stack.
        prompt: the text to search for.
        hole: the pixels to fill in.
        sequence: the name of the sequence that this is a step of.
        continues: whether the step takes the states of the previous run.
        ends: whether it is the last step: then the states are compared too.
        tracked: whether the ids of objects are compared.
        untiled: whether it must run without tiles, like the reference.
        tiled: the reference's prediction in tiles, None if it was not run in tiles.
        second: the picture of the `ReferenceInput`.
        points: clicks and a box, for all stages together; their `mask` stands for the first result's logits.
        text: the text, in place of a picture.
    """

    title: str
    feeds: Feeds
    file: Path | None = None
    placement: ImagePlacement | None = None
    translucent: bool = False
    stack: tuple[Path, ...] = ()
    focus: tuple[float, ...] = ()
    prompt: Prompt | None = None
    hole: NDArray[np.bool_] | None = None
    sequence: str = ""
    continues: bool = False
    ends: bool = False
    tracked: bool = False
    untiled: bool = False
    tiled: Sequence[Any] | None = None
    second: Path | None = None
    points: PointPrompt | None = None
    text: str = ""

    @property
    def files(self) -> tuple[Path, ...]:
        """Its picture, or the pictures of its stack; none for plain tensors."""
        return self.stack or (() if self.file is None else (self.file,))

    @property
    def options(self) -> dict[str, float | str | list[float]]:
        """Options of the runtime's `run()`; `hole` is the mask's size and a box, from which the page makes the mask."""
        values: dict[str, float | str | list[float]] = {"focusDistances": list(self.focus)} if self.focus else {}
        if self.hole is not None:
            height, width = self.hole.shape
            values["hole"] = [width, height, *sample_box(width, height)]
        if self.untiled:
            values["tiles"] = False
        return values if self.prompt is None else {**values, "prompt": self.prompt.text}


def collect_inputs(bundle: Bundle, files: Sequence[Path]) -> list[VerifyInput]:
    """Return the bundle's samples, or generated inputs if it has none, then `files`.

    Raises:
        WebbuildError: what `inputs_from_files` raises.
    """
    return [*_bundle_samples(bundle), *inputs_from_files(bundle, files)]


def sequence_inputs(bundle: Bundle, inputs: Sequence[VerifyInput], folder: Path) -> list[VerifyInput]:
    """Return the steps of a sequence for a model with states, made from its inputs; none for another model.

    Steps of picture models have files in `folder`, to run as a visitor's frames.
    """
    manifest = bundle.manifest
    samples = [Sample(each.title, each.feeds, each.file, each.placement) for each in inputs]
    steps = make_sequence(samples, manifest.inputs, folder=folder)
    untiled = any(each.untiled for each in inputs)
    return _steps(manifest, steps, is_pictured=picture_input(manifest) is not None, untiled=untiled)


def video_inputs(bundle: Bundle, picture: Path, folder: Path) -> list[VerifyInput]:
    """Return frames of a camera that moves over a picture; their files are in `folder`."""
    steps = make_video(picture, bundle.manifest.inputs, folder)
    frames = _steps(bundle.manifest, steps, is_pictured=True, untiled=False)
    return [msgspec.structs.replace(each, tracked=True) for each in frames]


def _steps(manifest: Manifest, steps: Sequence[Sample], *, is_pictured: bool, untiled: bool) -> list[VerifyInput]:
    return [
        VerifyInput(
            step.name,
            {**option_feeds(manifest), **step.feeds},
            step.image_file if is_pictured else None,
            step.placement,
            sequence=step.sequence,
            continues=step.continues,
            ends=step is steps[-1],
            untiled=untiled,
        )
        for step in steps
    ]


def inputs_from_files(bundle: Bundle, files: Sequence[Path]) -> list[VerifyInput]:
    """Return files as inputs.

    Files are pictures, folders of pictures or, for tensor models, .npz archives with an array for each input. For stack
    models they are folders, or together the pictures of one stack.

    Raises:
        WebbuildError: `unreadable-image`, `unreadable-tensors`, `invalid-input`, `invalid-sample`, `sample-not-found`,
            `unreadable-focal-distances`, `invalid-prompt`.
    """
    spec = picture_input(bundle.manifest)
    if isinstance(spec, StackInput):
        return [_stack_input(bundle.manifest, spec, stack, stack.name) for stack in stacks_from_paths(files)]
    if spec is not None:
        return _image_inputs(bundle, spec, [(file, file.name, "") for file in expand_folders(files)])
    return [
        VerifyInput(file.name, {**option_feeds(bundle.manifest), **_npz_feeds(bundle.manifest, file)}) for file in files
    ]


def _text_inputs(bundle: Bundle) -> list[VerifyInput]:
    """Return the example texts of a text encoder, nothing for any other model."""
    runs = kind_of(bundle.manifest.task).text_runs(_with_prompt_files(bundle))
    return [VerifyInput(text_title(at, text), dict(runs[text]), text=text) for at, text in enumerate(runs)]


def _with_prompt_files(bundle: Bundle) -> TaskMatch:
    task = bundle.manifest.task
    read = {name: (bundle.directory / name).read_bytes() for name in kind_of(task).prompt_files(task)}
    return TaskMatch(task, tuple(bundle.manifest.inputs), (), files=read)


def _bundle_samples(bundle: Bundle) -> list[VerifyInput]:
    spec, samples = picture_input(bundle.manifest), bundle.manifest.samples
    if isinstance(spec, StackInput):
        stacks = [
            FocalStack(each.title, tuple(bundle.directory / file for file in each.stack), tuple(each.focus_distances))
            for each in samples
        ]
        return [_stack_input(bundle.manifest, spec, stack, stack.name) for stack in stacks]
    if spec is not None:
        return _image_inputs(
            bundle, spec, [(bundle.directory / each.file, each.title, each.prompt) for each in samples]
        )
    if texts := _text_inputs(bundle):
        return texts
    recorded = read_golden(bundle)
    if recorded:
        return [VerifyInput("golden", {**option_feeds(bundle.manifest), **recorded[0]})]
    return [random_input(bundle.manifest, seed) for seed in (0, 1)]


def picture_input(manifest: Manifest) -> ImageInput | CropInput | StackInput | None:
    """Return the picture or stack input of a model; None unless it has exactly one and no tensor inputs."""
    pictures = [spec for spec in manifest.inputs if isinstance(spec, ImageInput | CropInput | StackInput)]
    others = [spec for spec in manifest.inputs if isinstance(spec, TensorInput)]
    return pictures[0] if len(pictures) == 1 and not others else None


def option_feeds(manifest: Manifest) -> Feeds:
    """Return the options and numbers used for the comparison, and the initial states."""
    options = {
        spec.name: np.full(spec.shape, manifest.evaluation_thresholds.get(spec.option, spec.default), np.float32)
        for spec in manifest.inputs
        if isinstance(spec, OptionInput)
    }
    return {**options, **number_feeds(manifest.inputs), **state_feeds(manifest.inputs)}


def _image_inputs(
    bundle: Bundle, spec: ImageInput | CropInput, named: Sequence[tuple[Path, str, str]]
) -> list[VerifyInput]:
    """Return inputs from (file, title, prompt) of pictures; an empty prompt means the bundle's first."""
    files = [file for file, _, _ in named]
    seconds = [choose_reference_image(bundle.manifest.inputs, files, index) for index in range(len(files))]
    pictures = [
        _image_input(bundle.manifest, spec, file, title, second)
        for (file, title, _), second in zip(named, seconds, strict=True)
    ]
    kind = kind_of(bundle.manifest.task)
    if not kind.takes_prompt:
        return pictures
    match = _with_prompt_files(bundle)
    prompts = [kind.read_prompt(match, text) for _, _, text in named]
    return [
        msgspec.structs.replace(picture, feeds={**picture.feeds, **kind.prompt_feeds(match, prompt)}, prompt=prompt)
        for picture, prompt in zip(pictures, prompts, strict=True)
    ]


def _image_input(
    manifest: Manifest, spec: ImageInput | CropInput, file: Path, title: str, second: Path | None
) -> VerifyInput:
    pixels = load_image(file)
    tensor, placement = picture_to_tensor(pixels, spec)
    feeds = {**option_feeds(manifest), **size_feeds(manifest.inputs, placement), spec.name: tensor}
    feeds |= reference_image_feeds(manifest.inputs, second)
    hole = None if find_mask(manifest.inputs) is None else sample_hole(pixels.shape[1], pixels.shape[0])
    filled = with_hole(feeds, manifest.inputs, placement)
    translucent = bool((pixels[..., 3] < 255).any())
    untiled = bool(kind_of(manifest.task).tiled_outputs(manifest.task))
    return VerifyInput(title, filled, file, placement, translucent, hole=hole, untiled=untiled, second=second)


def _stack_input(manifest: Manifest, spec: StackInput, stack: FocalStack, title: str) -> VerifyInput:
    pictures = [load_image(file) for file in stack.files]
    tensor, placement = stack_tensor(stack.name, pictures, spec)
    focus = {each.name: focus_tensor(each, stack.focus) for each in manifest.inputs if isinstance(each, FocusInput)}
    translucent = any(bool((rgba[..., 3] < 255).any()) for rgba in pictures)
    feeds = {**option_feeds(manifest), **focus, spec.name: tensor}
    return VerifyInput(title, feeds, stack.files[0], placement, translucent, stack.files, stack.focus if focus else ())


def _npz_feeds(manifest: Manifest, file: Path) -> Feeds:
    specs = [spec for spec in manifest.inputs if not isinstance(spec, OptionInput | NumberInput | StateInput)]
    fix = "save every input under its name, with the type and shape that manifest.json gives"
    return load_npz_inputs(file, {spec.name: (spec.dtype, spec.shape) for spec in specs}, fix)


def random_input(manifest: Manifest, seed: int) -> VerifyInput:
    """Return normally distributed floats, and integers 1 and 2: valid as tokens and indices, and no empty size.

    A single boolean is true for the first seed and false for the second, so that both branches of an If run.
    """
    feeds = option_feeds(manifest)
    for spec in manifest.inputs:
        if isinstance(spec, FocusInput):
            feeds[spec.name] = focus_tensor(spec, ())
        elif not isinstance(spec, OptionInput | NumberInput | StageInput | StateInput):
            integers = _EITHER if spec.dtype == "bool" and math.prod(spec.shape) == 1 else _WHOLE
            ranges = {} if spec.dtype == "float32" else {spec.name: integers}
            feeds[spec.name] = normal_tensor(
                TensorInput(name=spec.name, dtype=spec.dtype, shape=spec.shape), seed, ranges
            )
    return VerifyInput(f"seed {seed}", feeds)
