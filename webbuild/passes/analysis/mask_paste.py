"""The Loop that pastes the mask of each detected box into an empty image, as torchvision exports it."""

from __future__ import annotations

import onnx_ir as ir
from msgspec import Struct

from webbuild.passes.analysis.loop_condition import stays_true
from webbuild.passes.analysis.pasting_body import PastingBody, box_corner
from webbuild.passes.analysis.picture_terms import Picture, cut, resized, stacked, zeros
from webbuild.passes.analysis.size_terms import largest, least, minus, number, plus
from webbuild.passes.analysis.use_def import LAYOUT_OPS
from webbuild.passes.rewrite import constant, input_value, static_shape

_MODES = ("half_pixel", "pytorch_half_pixel")
"""Coordinate transformation modes of bilinear interpolation in PyTorch's exports."""


class NoMaskPasteError(Exception):
    """The reason why a Loop does not paste masks."""


class MaskPaste(Struct, frozen=True):
    """Inputs and sizes of a Loop that pastes masks.

    Attributes:
        masks: [n, 1, M, M'] or [n, M, M'], float.
        boxes: [n, 4], int64: x0, y0, x1, y1, the first and last column and row of each box, inclusive.
        counted: `masks` or `boxes`: the value whose number of rows is the Loop's trip count.
        mask_size: (M, M').
        picture_size: height and width of the image.
        mode: the `coordinate_transformation_mode` of the Resize.
    """

    masks: ir.Value
    boxes: ir.Value
    counted: ir.Value
    mask_size: tuple[int, int]
    picture_size: tuple[int, int]
    mode: str


def mask_paste(loop: ir.Node) -> MaskPaste:
    """Return the masks and boxes of a Loop that resizes and pastes one mask in each iteration.

        w, h = max(x1 - x0 + 1, 1), max(y1 - y0 + 1, 1)
        resized = Resize(mask [1, 1, M, M], [1, 1, h, w])
        pasted[y, x] = resized[y - y0, x - x0] inside the box, else 0        [H, W]
        state = Concat(state, pasted [1, H, W])

    Raises:
        NoMaskPasteError: the Loop does something else.
    """
    body, canvas = loop.attributes["body"].as_graph(), static_shape(loop.inputs[2]) if len(loop.inputs) == 3 else None
    if canvas is None or len(canvas) != 3 or canvas[0] != 0:
        raise NoMaskPasteError("it does not start from an empty list of images of a fixed size")
    start = constant(loop.inputs[1])
    starts = loop.inputs[1] is None or (start is not None and bool(start.all()))
    if not starts or not stays_true(body.outputs[0], body.inputs[1]):
        raise NoMaskPasteError("its condition is computed")
    stacked = body.outputs[1].producer()
    is_stack = stacked is not None and stacked.op_type == "Concat" and stacked.attributes.get_int("axis", 0) == 0
    if stacked is None or not is_stack or len(stacked.inputs) != 2 or stacked.inputs[0] is not body.inputs[2]:
        raise NoMaskPasteError("it does not add one image in each iteration")
    pasting = PastingBody(body)
    pasted = pasting.value(stacked.inputs[1])
    for mode in _MODES:
        size = pasting.mask_size
        if isinstance(pasted, Picture) and size and pasted.term == _pasted(size, (canvas[1], canvas[2]), mode):
            counted = _row_count_source(loop.inputs[0])
            if counted is None or counted not in (pasting.masks, pasting.boxes):
                raise NoMaskPasteError("its trip count is not the number of masks")
            assert pasting.masks is not None
            assert pasting.boxes is not None
            return MaskPaste(pasting.masks, pasting.boxes, counted, size, (canvas[1], canvas[2]), mode)
    raise NoMaskPasteError("it does not add a mask resized to its box")


def _row_count_source(value: ir.Value | None) -> ir.Value | None:
    """Return x of a number of rows Gather(Shape(x), 0)."""
    node = None if value is None else value.producer()
    first = False
    while node is not None and node.op_type != "Shape":
        index = constant(input_value(node, 1))
        if node.op_type == "Gather" and index is not None and not index.any() and index.size == 1:
            first = True
        elif node.op_type not in LAYOUT_OPS - {"Expand", "Transpose"}:
            return None
        node = node.inputs[0].producer() if node.inputs[0] is not None else None
    if node is None or node.attributes.get_int("start", 0) != 0:
        return None
    return node.inputs[0] if first or node.attributes.get_int("end", 0) == 1 else None


def _pasted(mask: tuple[int, int], canvas: tuple[int, int], mode: str) -> object:
    """Return the pasted mask as a term, to compare with the term that `PastingBody` computes."""
    zero, one = number(0), number(1)
    ends = [(box_corner(first), box_corner(first + 2)) for first in (1, 0)]  # of the rows, of the columns
    lengths = [largest([plus(minus(last, first), one), one]) for first, last in ends]
    picture = resized(Picture("mask", (one, one, *map(number, mask))), (one, one, *lengths), mode)
    shown = [
        (largest([first, zero]), least([plus(last, one), number(size)]))
        for (first, last), size in zip(ends, canvas, strict=True)
    ]
    for axis, ((first, _), (start, end)) in enumerate(zip(ends, shown, strict=True)):
        picture = cut(picture, axis - 2, minus(start, first), minus(end, first))
    picture = Picture(picture.term, picture.sizes[-2:])
    for axis, ((start, end), size) in enumerate(zip(shown, canvas, strict=True)):
        before, after = (
            zeros([length if at == axis else other for at, other in enumerate(picture.sizes)])
            for length in (start, minus(number(size), end))
        )
        picture = cut(stacked([before, picture, after], axis - 2), axis - 2, zero, number(size))
    return picture.term
