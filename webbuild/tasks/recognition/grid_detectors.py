"""Recognize detectors that output grids of cells by the grid sizes: FastestDet, YOLO-FastestV2, YOLOv5's raw heads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from webbuild.errors import USAGE, WebbuildError
from webbuild.manifest.manifest import DetectTask, ImageInput
from webbuild.model.signature import ModelSignature, TensorSpec
from webbuild.postprocess.anchors import AnchorLevel, AnchorPostprocess, Columns
from webbuild.postprocess.output_names import DETECTIONS
from webbuild.postprocess.yolo import YoloPostprocess
from webbuild.preprocess.image import input_size
from webbuild.preprocess.recipe_text import describe_recipe
from webbuild.tasks.recognition.grid_families import GRID_FAMILIES, GridFamily
from webbuild.tasks.recognition.image_input import only_image_input
from webbuild.tasks.recognition.metadata import class_names
from webbuild.tasks.recognition.yolo import named_classes
from webbuild.tasks.task_match import TaskMatch


class Grid(Struct, frozen=True):
    """The cells of one stride."""

    stride: int
    rows: int
    columns: int

    @property
    def cells(self) -> int:
        """The number of cells."""
        return self.rows * self.columns


class Cells(Struct, frozen=True):
    """The cells of a grid in an output, with `numbers` values per cell.

    With `maps` the output is [1, numbers, h, w]; else the cells are rows `start:stop` of a table.
    """

    output: str
    numbers: int
    maps: bool = False
    start: int = 0
    stop: int = 0


def infer_grid_detector(signature: ModelSignature, *, requested: bool) -> TaskMatch | None:
    """Return the match of a grid detector, None for other models; its output values are still to be checked.

    Raises:
        WebbuildError: `unknown-anchors` if the task is requested, and the anchors are only known for another class
            count or input size.
    """
    image = only_image_input(signature, "nchw", "nhwc")
    if image is None or "task" in signature.metadata:
        return None
    size = input_size(image)
    for family in GRID_FAMILIES:
        if family.outputs and {each.name for each in signature.outputs} != set(family.outputs):
            continue
        grids = [Grid(stride, size[0] // stride, size[1] // stride) for stride in family.strides]
        cells = _find_cells(family, signature.outputs, grids)
        spec = cells and _postprocess(family, size, grids, cells)
        if not spec:
            continue
        if family.published not in (None, (spec.classes, size[0])) or (family.published and size[0] != size[1]):
            if requested:
                raise _unknown_anchors(signature.file, family, spec)
            continue
        return _match(signature, family, spec, family.recipe.apply(image), requested=requested)
    return None


def _match(
    signature: ModelSignature, family: GridFamily, spec: AnchorPostprocess, picture: ImageInput, *, requested: bool
) -> TaskMatch:
    labels = [family.label] if family.label and spec.classes == 1 else []
    classes, named = named_classes(_names(signature, spec) or labels, spec.classes)
    named = f"the one class is '{family.label}'" if classes == labels else named
    outputs = ", ".join(f"'{name}'" for name in spec.replaced_outputs)
    anchors = sum(level.anchors for level in spec.levels)
    published = f"; its anchors are assumed to be those published for {family.name}" if family.anchors else ""
    assumptions = (
        f"task detect: {outputs} is read as {family.name}'s, recognized by its grid of {anchors} anchors"
        f"{published}; {named}; boxes are decoded, NMS is appended: confidence {spec.confidence:g}, IoU {spec.iou:g}"
    )
    recipe = f"pictures are preprocessed as {family.name} expects: {describe_recipe(picture)}"
    task = DetectTask(output=DETECTIONS, rows=min(anchors, spec.max_detections), classes=classes)
    return TaskMatch(task, (picture,), (assumptions, recipe), spec, guessed=not requested)


def _names(signature: ModelSignature, spec: AnchorPostprocess) -> list[str]:
    names = class_names(signature)
    return names if len(names) == spec.classes else []


def _find_cells(family: GridFamily, outputs: Sequence[TensorSpec], grids: Sequence[Grid]) -> list[Cells] | None:
    """Return the cells of each grid: one output per grid, or one output with all grids."""
    if any(output.dtype != "float32" for output in outputs):
        return None
    if len(outputs) == len(grids):
        options = [[cells for output in outputs if (cells := _cells(family, output, grid))] for grid in grids]
        if all(len(each) == 1 for each in options):
            return [cells for (cells,) in options]
    if len(outputs) == 1 and len(grids) > 1 and family.order == "shared-classes":
        return _joined_cells(outputs[0], grids)
    return None


def _cells(family: GridFamily, output: TensorSpec, grid: Grid) -> Cells | None:
    size = (grid.rows, grid.columns)
    match output.shape:
        case (1, 3, int(rows), int(columns), int(numbers)) if family.order == "each-anchor" and (rows, columns) == size:
            return Cells(output.name, numbers)
        case (1, int(numbers), int(rows), int(columns)) if family.order != "each-anchor" and (rows, columns) == size:
            return Cells(output.name, numbers, maps=True)
        case (1, int(rows), int(columns), int(numbers)) if family.order != "each-anchor" and (rows, columns) == size:
            return Cells(output.name, numbers)
        case _:
            return None


def _joined_cells(output: TensorSpec, grids: Sequence[Grid]) -> list[Cells] | None:
    """Return the rows of each grid in [1, cells, numbers] or [cells, numbers]."""
    match output.shape:
        case (1, int(rows), int(numbers)) | (int(rows), int(numbers)) if rows == sum(each.cells for each in grids):
            return list(_following_cells(output.name, numbers, [each.cells for each in grids]))
        case _:
            return None


def _following_cells(output: str, numbers: int, counts: Sequence[int]) -> Iterator[Cells]:
    """Yield the cells of grids concatenated along the rows; `counts` are their numbers of rows."""
    start = 0
    for count in counts:
        yield Cells(output, numbers, start=start, stop=start + count)
        start += count


def undecoded_grids(spec: YoloPostprocess) -> AnchorPostprocess | None:
    """Return the postprocessing for a YOLOv5 with offsets in grid cells, None if the spec cannot be one."""
    family = next(each for each in GRID_FAMILIES if each.order == "each-anchor" and not each.keypoints)
    grids = [Grid(stride, spec.size[0] // stride, spec.size[1] // stride) for stride in family.strides]
    if spec.layout != "rows" or spec.strides or spec.extra_columns or spec.skipped_columns:
        return None
    counts = [grid.cells * len(anchors) for grid, anchors in zip(grids, family.anchors, strict=True)]
    return _postprocess(family, spec.size, grids, list(_following_cells(spec.output, spec.row_width, counts)))


def _postprocess(
    family: GridFamily, size: tuple[int, int], grids: Sequence[Grid], grid_cells: Sequence[Cells]
) -> AnchorPostprocess | None:
    """Return the postprocessing, None if the cells have no room for class scores."""
    sizes = family.anchors or (((float(size[1]), float(size[0])),),)
    parts = [
        part for cells, anchors in zip(grid_cells, sizes, strict=True) for part in _parts(family, cells, len(anchors))
    ]
    classes = {scores.width for _, _, scores in parts}
    if len(classes) != 1 or min(classes) < 1:
        return None
    return AnchorPostprocess(
        boxes=tuple(boxes for boxes, _, _ in parts),
        objectness=tuple(objectness for _, objectness, _ in parts),
        scores=tuple(scores for _, _, scores in parts),
        exponents=family.exponents,
        exclusive=family.exclusive,
        size=size,
        classes=min(classes),
        coding=family.coding,
        # a level for every anchor of a grid, since the outputs have all cells of one anchor, then of the next
        levels=tuple(
            AnchorLevel(grid.stride, grid.rows, grid.columns, (each,))
            for grid, anchors in zip(grids, sizes, strict=True)
            for each in anchors
        ),
        offset=family.offset,
        confidence=family.confidence,
        iou=family.iou,
    )


def _parts(family: GridFamily, cells: Cells, anchors: int) -> Iterator[tuple[Columns, Columns, Columns]]:
    """Yield the columns of box, objectness and class scores: once for all anchors of a grid, or once per anchor."""

    def columns(first: int, end: int) -> Columns:
        return Columns(cells.output, first, end, cells.maps, cells.start, cells.stop)

    match family.order:
        case "each-anchor":
            yield columns(0, 4), columns(4, 5), columns(5 + family.keypoints, cells.numbers)
        case "objectness-first":
            yield columns(1, 5), columns(0, 1), columns(5, cells.numbers)
        case "shared-classes":
            for index in range(anchors):
                box, objectness = 4 * index, 4 * anchors + index
                yield columns(box, box + 4), columns(objectness, objectness + 1), columns(5 * anchors, cells.numbers)


def _unknown_anchors(file: str, family: GridFamily, spec: AnchorPostprocess) -> WebbuildError:
    classes, side = family.published or (0, 0)
    height, width = spec.size
    return WebbuildError(
        "unknown-anchors",
        f"{file}: its output has the layout of {family.name}, whose anchors are known for {classes} classes at "
        f"{side} x {side} only; this model has {spec.classes} at {width} x {height}",
        "give --task tensor and decode the boxes yourself, with the anchors used in training",
        exit_code=USAGE,
    )
