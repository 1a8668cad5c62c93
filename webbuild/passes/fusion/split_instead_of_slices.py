from __future__ import annotations

from collections import defaultdict

import onnx_ir as ir
from msgspec import Struct

from webbuild.passes.analysis.kernel_lookup import has_kernel
from webbuild.passes.analysis.use_def import slice_bounds
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.limits.split_many_outputs import MAX_OUTPUTS
from webbuild.passes.rewrite import constant, find_nodes, replace_output, static_shape

_FLOATS = (ir.DataType.FLOAT, ir.DataType.FLOAT16)


class SplitInsteadOfSlices(Pass):
    """`Slice(x, 0:C)`, `Slice(x, C:2 C)` -> `Split(x, [C, C])`, and Gathers of one index alike.

        Slice(x [N, 3 C], 0:C), Slice(x, C:2 C), Slice(x, 2 C:3 C)    ->  Split(x, [C, C, C])
        Gather<axis = 0>(x [3, N, C], 0), Gather<axis = 0>(x, 1)      ->  Split(x, [1, 1, 1]) -> Reshape [N, C]

    Why: each Slice is a shader; a Split is one shader for all parts.

    Limits: fixed shapes, floats, one axis. Parts may not overlap. Parts and gaps together are at most seven, and the
    gaps at most half of the tensor.

    Exact: the same elements.
    """

    code = "split-instead-of-slices"
    target = "webgpu"
    after = ("fold-data-movement", "slice-of-concat", "split-after-transpose")

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        cuts: dict[tuple[ir.Value, int], list[Cut]] = defaultdict(list)
        for node in find_nodes(model, "Gather", "Slice"):
            source, shape = node.inputs[0], static_shape(node.inputs[0])
            cut = None if shape is None else _slice_or_gather(node, shape)
            if source is not None and cut is not None and source.dtype in _FLOATS and constant(source) is None:
                cuts[source, cut.axis].append(cut)
        rewrites = []
        for (_, axis), axis_cuts in cuts.items():
            source = axis_cuts[0].node.inputs[0]  # read again: it may be an output of an earlier Split
            sizes = _sizes(axis_cuts, (static_shape(source) or [])[axis])
            if source is None or len(axis_cuts) < 2 or not sizes or not _has_split(model, source, options):
                continue
            first = next(cut.node for cut in axis_cuts)
            _split(model.graph, source, axis_cuts, sizes)
            rewrites.append(self.applied(first, f"{len(axis_cuts)} parts are cut by one Split"))
        return rewrites


class Cut(Struct, frozen=True):
    """A node that takes `start` to `stop` of an axis."""

    node: ir.Node
    axis: int
    start: int
    stop: int


def _slice_or_gather(node: ir.Node, shape: list[int]) -> Cut | None:
    """Return the cut of a Slice or of a Gather of one index, None for any other node."""
    if static_shape(node.outputs[0]) is None:
        return None
    if (bounds := slice_bounds(node)) is not None:
        axis = bounds[2] % len(shape)
        start, stop, _ = slice(*bounds[:2]).indices(shape[axis])
        return Cut(node, axis, start, stop) if start < stop else None
    index = constant(node.inputs[1]) if node.op_type == "Gather" else None
    if index is None or index.size != 1 or not shape:
        return None
    axis = node.attributes.get_int("axis", 0) % len(shape)
    start = int(index.reshape(())) % shape[axis]
    return Cut(node, axis, start, start + 1)


def _sizes(cuts: list[Cut], whole: int) -> list[int]:
    """Sort cuts, and return the sizes of a Split's parts and gaps; none if a Split is not possible or worth it."""
    cuts.sort(key=lambda cut: cut.start)
    ends = [0, *(cut.stop for cut in cuts)]
    starts = [*(cut.start for cut in cuts), whole]
    gaps = [start - end for end, start in zip(ends, starts, strict=True)]
    sizes = [gaps[0]]
    for cut, gap in zip(cuts, gaps[1:], strict=True):
        sizes += [cut.stop - cut.start, gap]
    sizes = [size for size in sizes if size]
    return sizes if min(gaps) >= 0 and 2 * sum(gaps) <= whole and len(sizes) <= MAX_OUTPUTS else []


def _has_split(model: ir.Model, source: ir.Value, options: PassOptions) -> bool:
    return source.dtype is not None and has_kernel(model, "Split", source.dtype.name.lower(), options)


def _split(graph: ir.Graph, source: ir.Value, cuts: list[Cut], sizes: list[int]) -> None:
    nodes = {cut.node for cut in cuts}
    first = next(node for node in graph if node in nodes)
    add = Builder(graph, first, f"{first.name or first.op_type}/split")
    parts, at = {}, 0
    for size, part in zip(sizes, add.split_sizes(source, sizes, cuts[0].axis), strict=True):
        parts[at] = part
        at += size
    shape = static_shape(source) or []
    for cut in cuts:
        part, axis = parts[cut.start], cut.axis
        part.shape = ir.Shape([*shape[:axis], cut.stop - cut.start, *shape[axis + 1 :]])
        part.type = source.type
        taken = static_shape(cut.node.outputs[0])
        replace_output(cut.node, part if cut.node.op_type == "Slice" else add.reshape(part, taken or []))
    graph.remove(list(nodes), safe=True)
