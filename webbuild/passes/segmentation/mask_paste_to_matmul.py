from __future__ import annotations

import numpy as np
import onnx_ir as ir
from numpy.typing import NDArray

from webbuild.passes.analysis.mask_paste import MaskPaste, NoMaskPasteError, mask_paste
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import find_nodes, known_rank, opset_version, replace_all_uses

_Line = NDArray[np.int64]

_FAR = -2.0
"""A coordinate at a distance above 1 from every mask cell."""


class MaskPasteToMatmul(Pass):
    """A `Loop` that resizes and pastes masks -> `rows [n, H, M] @ masks [n, M, M] @ columns [n, M, W]`.

        Loop(n) { Concat(pasted, zeros, Resize(masks[i], size of boxes[i]), zeros) }  [n, H, W]
            ->  rows [n, H, M] @ masks [n, M, M] @ columns [n, M, W]

        column[x, j] = max(0, 1 - |clip((x - x0 + 0.5) * M / w - 0.5, 0, M - 1) - j|)  where x0 <= x <= x1, else 0

    Why: torchvision's Mask R-CNN resizes the mask of each box to the size of the box, and pads it with zeros. Loop has
    no GPU kernel, the sizes differ in each iteration, and the list of masks is copied in every iteration.

    How: a bilinear Resize is a weighted sum along each axis. The weights of a pixel follow from its position in the
    box. Pixels outside the box have zero weights, so the product has the size of the image. Box corners are truncated
    to integers, like the Cast before the Loop.

    Limits: torchvision's Loop, for one image of a fixed size. Accurate to 1e-5 of the largest magnitude.
    """

    code = "mask-paste-to-matmul"
    after = ("canonicalize", "fold-constants", "padded-detections")
    target = "webgpu"
    tolerance = 1e-5
    scope = "main graph"

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        """Rewrite each Loop that pastes masks; other Loops are ignored."""
        rewrites = []
        for loop in find_nodes(model, "Loop"):
            if not any(node.op_type == "Resize" for node in loop.attributes["body"].as_graph()):
                continue
            try:
                paste = mask_paste(loop)
            except NoMaskPasteError as reason:
                rewrites.append(self.skipped(loop, str(reason)))
                continue
            height, width = paste.picture_size
            replace_all_uses(loop.outputs[0], _pasted(model, loop, paste))
            model.graph.remove(loop, safe=True)
            rewrites.append(self.applied(loop, f"masks are pasted into {width} x {height} by two matrix products"))
        return rewrites


def _pasted(model: ir.Model, loop: ir.Node, paste: MaskPaste) -> ir.Value:
    """Add the pasted masks, [n, H, W]."""
    add = Builder(model.graph, loop, f"{loop.name or 'Loop'}/pasted", opset_version(model))
    masks, corners = (
        value if _same_rows(value, paste.counted) else _first_rows(add, value, loop.inputs[0])
        for value in (paste.masks, paste.boxes)
    )
    if known_rank(paste.masks) == 4:
        masks = add.squeeze(masks, 1)
    # [n, 4] -> [n, 4, 1] -> four of [n, 1, 1]
    corners = add.unsqueeze(_whole_floats(add, corners), 2)
    x0, y0, x1, y1 = (add.slice(corners, 1, column, column + 1) for column in range(4))
    (height, width), (rows, columns) = paste.picture_size, paste.mask_size
    # pixels [H, 1] by cells [M]; cells [M, 1] by pixels [W]
    down = _weights(add, paste.mode, y0, y1, np.arange(height)[:, None], np.arange(rows))
    across = _weights(add, paste.mode, x0, x1, np.arange(width), np.arange(columns)[:, None])
    # [n, H, M] @ [n, M, M'] @ [n, M', W]
    return add.op("MatMul", add.op("MatMul", down, masks), across)


def _same_rows(value: ir.Value, other: ir.Value) -> bool:
    """Whether two values are known to have the same number of rows."""
    if value is other:
        return True
    size, wanted = (each.shape[0] if each.shape is not None else None for each in (value, other))
    return size == wanted and (isinstance(size, int) or (isinstance(size, ir.SymbolicDim) and size.value is not None))


def _first_rows(add: Builder, value: ir.Value, count: ir.Value | None) -> ir.Value:
    """Return the first rows, as many as the Loop has iterations."""
    first = add.const([0], np.int64)
    rows = add.op("Slice", value, first, add.reshape(count, [1]), first)
    rows.type, rows.shape = value.type, ir.Shape([None, *(value.shape or [])[1:]])
    return rows


def _whole_floats(add: Builder, corners: ir.Value) -> ir.Value:
    """Return int64 as float32. A Cast from float becomes a truncation, because int64 is cast on the CPU."""
    cast = corners.producer()
    source = cast.inputs[0] if cast is not None and cast.op_type == "Cast" else None
    if source is None or source.dtype != ir.DataType.FLOAT:
        return add.cast(corners, ir.DataType.FLOAT)
    below_zero = add.op("Less", source, add.const(0.0))
    return add.op("Where", below_zero, add.op("Ceil", source), add.op("Floor", source))


def _weights(add: Builder, mode: str, first: ir.Value, last: ir.Value, pixels: _Line, cells: _Line) -> ir.Value:
    """Return the weight of each mask cell for each image pixel along an axis.

    The box spans the pixels `first` to `last`, [n, 1, 1] each.
    """
    one, none = add.const(1.0), add.const(0.0)
    at = add.op("Sub", add.const(pixels), first)
    end = add.op("Sub", last, first)
    length = add.op("Max", add.op("Add", end, one), one)
    # half_pixel: (at + 0.5) / (length / M) - 0.5
    half, scale = add.const(0.5), add.op("Div", length, add.const(float(cells.size)))
    coordinate = add.op("Sub", add.op("Div", add.op("Add", at, half), scale), half)
    if mode == "pytorch_half_pixel":
        coordinate = add.op("Where", add.op("Greater", length, one), coordinate, none)
    near = add.op("Max", add.op("Min", coordinate, add.const(float(cells.size - 1))), none)
    # pixels outside the box are far from every cell
    for outside in (add.op("Less", at, none), add.op("Greater", at, end)):
        near = add.op("Where", outside, add.const(_FAR), near)
    distance = add.op("Abs", add.op("Sub", near, add.const(cells)))
    return add.op("Relu", add.op("Sub", one, distance))
