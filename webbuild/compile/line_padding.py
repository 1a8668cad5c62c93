"""Padded lines: whether a text recogniser reads the same where a line is as wide as its text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from webbuild.compile.load_model import LoadedModel
from webbuild.manifest.manifest import ImageInput
from webbuild.samples.sample import Sample
from webbuild.tasks.registry import decode_task, kind_of
from webbuild.tasks.run_context import RunContext
from webbuild.tasks.task_match import TaskMatch


def padding_warnings(match: TaskMatch, loaded: LoadedModel, samples: Sequence[Sample]) -> list[str]:
    """Return a sentence for each sample that the original reads in another way without the padding behind its text.

    The width without is a whole number of columns. Nothing is said of a model whose width is fixed.
    """
    image = next((each for each in match.inputs if isinstance(each, ImageInput)), None)
    if image is None or image.letterbox.mode != "line":
        return []
    given = next(each for each in loaded.source.signature.inputs if each.name == image.name)
    if isinstance(given.shape[-1], int):
        return []
    found = []
    for sample in samples:
        texts = {width: _read(match, loaded, sample, image, width) for width in _widths(match, loaded, sample, image)}
        if len(set(texts.values())) > 1:
            told = ", ".join(f"{text!r} at {width} pixels" for width, text in texts.items())
            found.append(f"sample {Path(sample.name).name} is read in another way where it is padded: {told}")
    loaded.original.close()
    return found


def _widths(match: TaskMatch, loaded: LoadedModel, sample: Sample, image: ImageInput) -> list[int]:
    """Return the widths of the padded line and of its text, rounded up to whole columns."""
    place, full = sample.placement, image.shape[-1]
    if place is None:
        return []
    (name,) = kind_of(match.task).needed_outputs(match.task)
    stride = full // max(loaded.original.run(sample.feeds)[name].shape[:2])
    return sorted({full, min(full, -(-place.width // stride) * stride)}, reverse=True)


def _read(match: TaskMatch, loaded: LoadedModel, sample: Sample, image: ImageInput, width: int) -> str:
    assert sample.placement is not None
    outputs = loaded.original.run({image.name: sample.feeds[image.name][..., :width]})
    context = RunContext(placement=msgspec.structs.replace(sample.placement, input_width=width))
    return "\n".join(each.text for each in decode_task(match.task, outputs, context))
