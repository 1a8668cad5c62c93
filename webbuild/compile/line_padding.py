"""Line padding: whether a text recognizer reads the same text with and without padding."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from webbuild.compile.load_model import LoadedModel
from webbuild.compile.model_variant import ModelVariant
from webbuild.manifest.manifest import CropInput, ImageInput
from webbuild.preprocess.crop import fitting_input, place_crop, select_crop_boxes
from webbuild.preprocess.crop_box import CropBox
from webbuild.preprocess.image import load_image
from webbuild.preprocess.letterbox import ImagePlacement
from webbuild.preprocess.picture import crops_to_tensor
from webbuild.runners.tensors import Tensors
from webbuild.samples.sample import Sample
from webbuild.tasks.kind.text_recognition import TextRecognitionKind
from webbuild.tasks.registry import decode_task, kind_of
from webbuild.tasks.run_context import RunContext
from webbuild.tasks.task_match import TaskMatch

_REFERENCE_WIDTH = 320
"""Width in pixels to which PaddleOCR pads each line."""
_MAX_LINES = 100


def padding_warnings(match: TaskMatch, loaded: LoadedModel, samples: Sequence[Sample]) -> list[str]:
    """Return a warning for each sample that the original reads differently without the padding after its text.

    The width without padding is a whole number of columns. A model with a fixed width gets no warning, and neither does
    a model of another task.
    """
    image = next((each for each in match.inputs if isinstance(each, ImageInput)), None)
    if image is None or image.letterbox.mode != "line" or not isinstance(kind_of(match.task), TextRecognitionKind):
        return []
    picture_spec = next(each for each in loaded.source.signature.inputs if each.name == image.name)
    if isinstance(picture_spec.shape[-1], int):
        return []
    warnings = []
    for sample in samples:
        texts = {width: _read(match, loaded, sample, image, width) for width in _widths(match, loaded, sample, image)}
        if len(set(texts.values())) > 1:
            readings = ", ".join(f"{text!r} at {width} pixels" for width, text in texts.items())
            warnings.append(f"sample {Path(sample.name).name} is read differently when padded: {readings}")
    loaded.original.close()
    return warnings


def _widths(match: TaskMatch, loaded: LoadedModel, sample: Sample, image: ImageInput) -> list[int]:
    """Return the widths of the padded line and of its text, rounded up to whole columns."""
    placement, full = sample.placement, image.shape[-1]
    if placement is None:
        return []
    (name,) = kind_of(match.task).needed_outputs(match.task)
    stride = full // max(loaded.original.run(sample.feeds)[name].shape[:2])
    return sorted({full, min(full, -(-placement.width // stride) * stride)}, reverse=True)


def _read(match: TaskMatch, loaded: LoadedModel, sample: Sample, image: ImageInput, width: int) -> str:
    assert sample.placement is not None
    outputs = loaded.original.run({image.name: sample.feeds[image.name][..., :width]})
    context = RunContext(placement=msgspec.structs.replace(sample.placement, input_width=width))
    return "\n".join(each.text for each in decode_task(match.task, outputs, context))


def padded_line_warnings(
    variants: Sequence[ModelVariant], boxes_by_sample: Mapping[str, Sequence[CropBox]]
) -> list[str]:
    """Return a warning if detected lines are read differently when they are padded to a width of the model.

    Each line is read at the bundle's width, and at its own width: rounded up to whole columns, and at least
    `_REFERENCE_WIDTH`. A recognizer with one width gets no warning.

    Args:
        variants: the variants of a stage, with samples.
        boxes_by_sample: the boxes that an earlier stage found, by sample.
    """
    loaded, match = variants[0].loaded, variants[0].compiled.match
    specs = [spec for each in variants if each.batch == 1 for spec in each.single_inputs if isinstance(spec, CropInput)]
    if len(specs) < 2 or specs[0].aspect != "line" or specs[0].layout != "nchw":
        return []
    pairs: list[tuple[str, str]] = []
    for sample in variants[0].samples:
        boxes = select_crop_boxes(boxes_by_sample.get(sample.name, ()), specs[0])[: _MAX_LINES - len(pairs)]
        if sample.image_file is not None and boxes:
            pairs += list(_paired_readings(match, loaded, sample.image_file, specs, boxes))
    loaded.original.close()
    changed = [each for each in pairs if each[0] != each[1]]
    if not changed:
        return []
    own, padded = changed[0]
    what = f"{len(changed)} of {len(pairs)} lines wider than {_REFERENCE_WIDTH} pixels are read differently when"
    warning = f"padded to a width of the model: {own!r} becomes {padded!r}; give --widths with smaller steps"
    return [f"{what} {warning}"]


def _paired_readings(
    match: TaskMatch, loaded: LoadedModel, file: Path, specs: Sequence[CropInput], boxes: Sequence[CropBox]
) -> Iterator[tuple[str, str]]:
    """Yield (text without padding, text with padding) of each line with more padding than in PaddleOCR."""
    rgba = load_image(file)
    (name,) = kind_of(match.task).needed_outputs(match.task)
    for box in boxes:
        spec = specs[fitting_input(box, specs)]
        crop = place_crop(box, spec)
        tensor, placement = crops_to_tensor(rgba, spec, [crop])
        outputs = loaded.original.run({spec.name: tensor})
        stride = placement.input_width // max(outputs[name].shape[:2])
        width = max(_REFERENCE_WIDTH, -(-crop.columns // stride) * stride)
        if width < placement.input_width:
            alone = loaded.original.run({spec.name: tensor[..., :width]})
            yield _text(match, alone, placement), _text(match, outputs, placement)


def _text(match: TaskMatch, outputs: Tensors, placement: ImagePlacement) -> str:
    return "\n".join(each.text for each in decode_task(match.task, outputs, RunContext(placement=placement)))
