"""Symbolic execution of a Loop's body: its values as terms of one mask and one box."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.passes.analysis.picture_terms import Picture
from webbuild.passes.analysis.size_terms import Term, number, unknown
from webbuild.passes.analysis.term_rules import TERM_RULES, Known
from webbuild.passes.rewrite import constant, is_read


def box_corner(index: int) -> Term:
    """Return the symbol of a box coordinate in this iteration: x0, y0, x1 or y1."""
    return unknown(("box", index))


class PastingBody:
    """The values of a Loop's body as terms of one row of the masks and one row of the boxes."""

    def __init__(self, body: ir.Graph) -> None:
        self._round = body.inputs[0]
        self._body = body
        self._found: dict[ir.Value, Known] = {}
        self.masks: ir.Value | None = None
        self.boxes: ir.Value | None = None
        self.mask_size: tuple[int, int] | None = None
        for node in body:
            if any(map(is_read, node.outputs)) and len(node.outputs) == 1 and (term := self._result(node)) is not None:
                self._found[node.outputs[0]] = term

    def value(self, value: ir.Value | None) -> Known | None:
        """Return the term of a value, None if it is unknown."""
        if value is None:
            return None
        array = constant(value)
        if array is not None and array.size < 9 and (array.dtype.kind in "ib" or not array.size):
            return tuple(number(int(each)) for each in array.ravel())
        return self._found.get(value)

    def _result(self, node: ir.Node) -> Known | None:
        if node.domain not in ("", "ai.onnx"):
            return None
        if node.op_type == "Gather" and node.inputs[1] is self._round:
            return self._row(node)
        reads = [self.value(value) for value in node.inputs]
        rule = TERM_RULES.get(node.op_type)
        known = all(read is not None or value is None for read, value in zip(reads, node.inputs, strict=True))
        return rule(node, reads) if rule is not None and known else None

    def _row(self, node: ir.Node) -> Known | None:
        """Return the mask or the box of the iteration: [n, 1, M, M] -> [1, M, M], [n, 4] -> [4]."""
        data = node.inputs[0]
        if data is None or data.graph is self._body or data.shape is None or node.attributes.get_int("axis", 0) != 0:
            return None
        sizes = [size for size in data.shape[1:] if isinstance(size, int)]
        if data.dtype == ir.DataType.INT64 and sizes == [4] and self.boxes in (None, data):
            self.boxes = data
            return tuple(map(box_corner, range(4)))
        is_mask = len(sizes) == len(data.shape) - 1 and len(sizes) in (2, 3) and sizes[:-2] in ([], [1])
        if data.dtype != ir.DataType.FLOAT or not is_mask or self.masks not in (None, data):
            return None
        self.masks, self.mask_size = data, (sizes[-2], sizes[-1])
        return Picture("mask", tuple(map(number, sizes)))
