"""The diagram of a pipeline in reports: a box for each stage, and an arrow for each tensor between two stages.

┌ encoder ────────────┐
│ vision_encoder.onnx │
└──┬───────────────┬──┘
│ embedding     │ detail -> fine
┌──▼───────────────▼──┐
│ decoder             │
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from webbuild.errors import printable
from webbuild.manifest.manifest import CropInput, Input, Manifest, Stage, StageInput
from webbuild.manifest.stages import crop_input, stage_inputs

_LEFT, _RIGHT = 8, 480
"""Left and right edge of the boxes. Arrows that skip a stage are to the right of them."""
_LINE, _PADDING, _LANE, _TOP = 19, 12, 14, 4
_LONGEST = 58
"""Characters of a line of text; longer lines are truncated."""


class StageBox(Struct, frozen=True):
    """A stage: its lines of text below its name, and the names of its graphs."""

    name: str
    lines: tuple[str, ...]
    graphs: tuple[str, ...]
    y: int
    height: int


class TensorArrow(Struct, frozen=True):
    """A tensor that goes into the stage below: an SVG path, its label, and the position of the label."""

    path: str
    text: str
    x: int
    y: int


class PipelinePicture(Struct, frozen=True):
    """Boxes and arrows, and the size of the diagram."""

    boxes: tuple[StageBox, ...]
    arrows: tuple[TensorArrow, ...]
    width: int
    height: int


def pipeline_picture(manifest: Manifest) -> PipelinePicture:
    """Lay out the stages of a bundle from top to bottom, with the outputs of the last stage below them."""
    boxes: list[StageBox] = []
    arrows: list[TensorArrow] = []
    lanes, y = 0, _TOP
    glued = {each.name: _glue_lines(each) for each in manifest.stages or ()}
    for stage in manifest.every_stage:
        joins = stage_inputs(stage.inputs)
        crop = crop_input(stage.inputs) if boxes else None
        top = y + _gap(len(joins) + (crop is not None))
        for index, join in enumerate(joins):
            source = next(box for box in boxes if box.name == join.stage)
            near = source is boxes[-1]
            lanes += not near
            path = _straight(index, y, top) if near else _around(index, source, top, lanes)
            label = f"{'' if near else f'{join.stage}.'}{join.output}"
            label += "" if join.output == join.name else f" -> {join.name}"
            arrows.append(_arrow(path, f"{label}  {join.dtype} {join.shape}", index, len(joins), y))
        if crop is not None:
            text = f"crops of boxes -> {crop.name}  {crop.dtype} {crop.shape}"
            arrows.append(_arrow(_straight(len(joins), y, top), text, len(joins), len(joins) + 1, y))
        boxes.append(_box(stage, glued.get(stage.stage_name or "", ()), top))
        y = top + boxes[-1].height
    outputs = manifest.every_stage[-1].outputs
    end = y + _gap(len(outputs))
    for index, each in enumerate(outputs):
        text = f"{each.name}  {each.dtype} {each.shape}"
        arrows.append(_arrow(_straight(index, y, end), text, index, len(outputs), y))
    return PipelinePicture(tuple(boxes), tuple(arrows), _RIGHT + 8 + _LANE * lanes, end + 4)


def _glue_lines(stage: Stage) -> tuple[str, ...]:
    """Return the line about the JavaScript module that makes inputs of a stage, and the outputs that it reads."""
    if not stage.glue_module:
        return ()
    read = ", ".join(f"{each.stage}.{each.output}" for each in stage.glue_module.reads)
    return (printable(f"{stage.glue_module.file} makes inputs of {read}", _LONGEST),)


def _box(stage: Manifest, glue: Sequence[str], y: int) -> StageBox:
    drawn = (StageInput,) if y == _TOP else (StageInput, CropInput)
    own = [_tensor_text(each) for each in stage.inputs if not isinstance(each, drawn)]
    lines = (printable(stage.source.file, _LONGEST), *own, *glue)
    graphs = tuple(dict.fromkeys(graph.name for graph in stage.graphs))
    return StageBox(stage.stage_name or "", lines, graphs, y, _LINE * (2 + len(lines)) + 2 * _PADDING)


def _gap(tensors: int) -> int:
    """Return the height of the arrows between two boxes."""
    return _LINE * tensors + 2 * _PADDING if tensors else 0


def _arrow(path: str, text: str, index: int, count: int, y: int) -> TensorArrow:
    """Return an arrow with its label in a separate row, to the right of all arrows that begin at `y`."""
    return TensorArrow(path, printable(text, _LONGEST), _x(count), y + _PADDING + _LINE * index + 14)


def _x(index: int) -> int:
    return _LEFT + 16 + 12 * index


def _straight(index: int, start: int, end: int) -> str:
    return f"M{_x(index)} {start}V{end}"


def _around(index: int, source: StageBox, end: int, lane: int) -> str:
    """Return the path of a tensor that skips stages: out of the right side of its box, and down."""
    return f"M{_RIGHT} {source.y + source.height - 10 * lane}H{_RIGHT + _LANE * lane}V{end - 8}H{_x(index)}V{end}"


_INPUT_TEXTS = {
    "image": "a picture",
    "crop": "a crop of the picture",
    "point-prompt": "a prompt",
    "option": "a threshold",
}
"""Texts for kinds of inputs with unclear names in the manifest."""


def _tensor_text(spec: Input) -> str:
    kind = str(spec.__struct_config__.tag)
    what = _INPUT_TEXTS.get(kind, kind)
    return printable(f"takes {spec.name}  {what} {spec.dtype} {spec.shape}", _LONGEST)
