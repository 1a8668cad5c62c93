"""Recognize text detectors, which output one map of text probabilities, as PaddleOCR and docTR export them."""

from __future__ import annotations

import re
from typing import Any, Literal

import msgspec
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.manifest.inputs.letterbox import Interpolation, Letterbox
from webbuild.manifest.tasks.text_boxes import TextBoxesTask
from webbuild.model.signature import ModelSignature, TensorSpec
from webbuild.tasks.recognition.hub_preprocessor import IMAGENET_MEAN, IMAGENET_STD
from webbuild.tasks.recognition.image_input import fixed_image_input
from webbuild.tasks.task_match import TaskMatch


class TextDetectorFamily(Struct, frozen=True):
    """A family of text detectors: the preprocessing, the decoding of the map, and the size if the graph's is free."""

    name: str
    size: int
    color: Literal["bgr", "rgb"]
    mean: list[float]
    std: list[float]
    anchor: Literal["center", "top-left"]
    interpolation: Interpolation
    confidence: float
    threshold: float = 0.3


_PADDLE = TextDetectorFamily("PaddleOCR", 960, "bgr", IMAGENET_MEAN, IMAGENET_STD, "top-left", "bilinear", 0.6)
DOCTR = TextDetectorFamily(
    "docTR", 1024, "rgb", [0.798, 0.785, 0.772], [0.264, 0.2749, 0.287], "center", "bilinear-antialias", 0.1
)
_DOCTR_LOW = msgspec.structs.replace(DOCTR, threshold=0.1)
"""docTR's LinkNet and FAST, with OnnxTR's decoding: exports of FAST lack docTR's last max-pooling."""

_DOCTR = (
    (DOCTR, re.compile(r"(?<![a-z])db_(resnet|mobilenet)"), frozenset({"feat_extractor", "fpn", "prob_head"})),
    (_DOCTR_LOW, re.compile(r"(?<![a-z])linknet_resnet"), frozenset({"feat_extractor", "fpn", "classifier"})),
    (_DOCTR_LOW, re.compile(r"(?<![a-z])fast_(tiny|small|base)"), frozenset({"feat_extractor", "neck", "prob_head"})),
)
"""docTR's models: their names in the file's name or as `arch` in config.json, and the modules of their graphs."""
_DETECTOR_FILE = re.compile(r"(?<![a-z])det(?![a-z])|(?<![a-z])dbnet|text[-_]?det")
_PADDLE_OUTPUT = re.compile(r"fetch_name_\d+|sigmoid_\d+\.tmp_\d+|save_infer_model/scale_\d+\.tmp_\d+")


class NamedDetector(Struct, frozen=True):
    """A family recognized by a name, and the source of that name."""

    family: TextDetectorFamily
    source: str


def named_text_detector(signature: ModelSignature) -> NamedDetector | None:
    """Return the family of a text detector with one output map, by its names; None if no name indicates it.

    The names are in the configuration next to the model, the file's name, docTR's modules and output, or Paddle's input
    and an output that ends in a sigmoid. Paddle's segmentation and matting models have other names or last operators.
    """
    if len(signature.inputs) != 1 or len(signature.outputs) != 1 or not _may_be_map(signature.outputs[0]):
        return None
    file, output = signature.file.lower(), signature.outputs[0]
    if signature.hub_files.postprocess.get("name") == "DBPostProcess":
        return NamedDetector(_PADDLE, "inference.yml")
    arch = str(signature.hub_files.config.get("arch", ""))
    for family, name, modules in _DOCTR:
        if name.search(arch):
            return NamedDetector(family, "config.json")
        if name.search(file):
            return NamedDetector(family, "the file's name")
        if output.name == "logits" and modules <= signature.modules:
            return NamedDetector(family, f"the names of its modules, {', '.join(sorted(modules))}")
    if _DETECTOR_FILE.search(file):
        return NamedDetector(_PADDLE, "the file's name")
    paddle = signature.inputs[0].name == "x" and _PADDLE_OUTPUT.fullmatch(output.name)
    if paddle and output.activation == "Sigmoid":
        return NamedDetector(_PADDLE, f"the names '{signature.inputs[0].name}' and '{output.name}'")
    return None


def _may_be_map(spec: TensorSpec) -> bool:
    """Whether an output may be [1, 1, height, width], with static or free sizes."""
    if spec.dtype != "float32" or len(spec.shape) != 4:
        return False
    return all(not isinstance(size, int) or size == 1 for size in spec.shape[:2])


def infer_text_detector(signature: ModelSignature, *, requested: bool) -> TaskMatch | None:
    """Return the match of a text detector, None for other models. Unless requested, names must indicate it."""
    if len(signature.inputs) != 1 or len(signature.outputs) != 1:
        return None
    image, output, named = fixed_image_input(signature.inputs[0]), signature.outputs[0], named_text_detector(signature)
    if image is None or not (named or requested):
        return None
    match output.shape:
        case (1, 1, int(height), int(width)) if output.dtype == "float32" and min(height, width) > 1:
            pass
        case _:
            return None
    family = _PADDLE if named is None else named.family
    known = msgspec.structs.replace(
        image,
        color=family.color,
        mean=family.mean,
        std=family.std,
        letterbox=Letterbox(anchor=family.anchor, pad=0, interpolation=family.interpolation),
    )
    ending = output.activation

    def configured(name: str, default: float, most: float = 1.0) -> float:
        return _positive_number(signature.hub_files.postprocess.get(name), default, most)

    task = TextBoxesTask(
        output=output.name,
        activation="none",
        threshold=configured("thresh", family.threshold),
        confidence=configured("box_thresh", family.confidence),
        unclip_ratio=configured("unclip_ratio", 1.5, most=10),
        max_outlines=int(configured("max_candidates", 1000, most=100_000)),
    )
    mean, std = (", ".join(f"{each:g}" for each in values) for values in (family.mean, family.std))
    recipe = (
        f"pictures keep their aspect ratio, the rest is black; {family.color.upper()}, scaled to 0..1, mean {mean}, "
        f"deviation {std}, as for {family.name}"
    )
    assumptions = (
        f"task text-boxes: output '{output.name}' is a map of text" + ("" if named is None else f", by {named.source}"),
        f"its values are probabilities: the graph ends in {ending}" if ending else _UNMEASURED,
        recipe,
    )
    return TaskMatch(
        task,
        (known,),
        assumptions,
        guessed_recipe=recipe if named is None else "",
        measured_output="" if ending else output.name,
    )


def _positive_number(text: object, default: float, most: float) -> float:
    """Return a number from `inference.yml`; the default if it is not a number above 0 and at most `most`."""
    try:
        value = float(text) if isinstance(text, str) else default
    except ValueError:
        return default
    return value if 0 < value <= most else default


def with_measured_range(match: TaskMatch, values: NDArray[Any]) -> TaskMatch:
    """Return the match with the value range measured on photographs: probabilities, or logits."""
    assert isinstance(match.task, TextBoxesTask)
    least, most = float(values.min()), float(values.max())
    seen = f"{least:.3g} to {most:.3g} on two photographs"
    if least >= 0 and most <= 1:
        task, assumption = match.task, f"its values are probabilities: {seen}"
    else:
        task = msgspec.structs.replace(match.task, activation="sigmoid")
        assumption = f"its values are logits, which go through a sigmoid: {seen}"
    assumptions = tuple(assumption if each == _UNMEASURED else each for each in match.assumptions)
    return msgspec.structs.replace(match, task=task, assumptions=assumptions)


_UNMEASURED = "its values are assumed to be probabilities"
