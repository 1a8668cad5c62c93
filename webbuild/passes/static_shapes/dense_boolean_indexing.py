from __future__ import annotations

import math
from collections.abc import Sequence

import onnx_ir as ir

from webbuild.passes.analysis.boolean_mask import (
    MaskSelection,
    NeedsGatherError,
    connected_choices,
    find_choices,
    mask_of_indices,
)
from webbuild.passes.analysis.masked_rows import REDUCTION_OPS, MaskedRegion
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import find_nodes, opset_version, replace_all_uses, static_shape
from webbuild.passes.static_shapes.dense_rows import rewrite_densely
from webbuild.passes.static_shapes.row_masks import broadcast_mask

_TYPES = (ir.DataType.FLOAT, ir.DataType.INT32)


class DenseBooleanIndexing(Pass):
    """Replaces boolean indexing by computing all rows and masking the result.

        f(Gather(x [N, C], NonZero(mask [N])) [n, C])         ->  f(x) [N, C]
        ReduceSum(x[mask] [n, C], axis=0) [C]                 ->  ReduceSum(Where(mask, x, 0), axis=0)
        ReduceMean(x[mask] [n, C], axis=0) [C]                ->  ReduceSum(Where(mask, x, 0)) / max(sum(mask), 1)
        ScatterND(y, NonZero(mask), f(x[mask])) [N, C]        ->  Where(mask, f(x), y)
        TopK(scores[mask] [n], K)                             ->  TopK(Where(mask, scores, -3e38) [N], K)

    Why: PyTorch exports `x[mask]` as NonZero and GatherND, or as Compress. The number of gathered rows depends on the
    data. So nothing after it has a static shape, NonZero runs on the CPU, and shaders are compiled again for every
    length.

    How: at most all rows are selected, so the pass computes all rows and masks the result.

    - Operators that compute each row independently (elementwise, a layer, a normalization or a softmax of the row) read
      all rows instead.
    - A reduction over the rows ignores rows that are not selected: sums, norms, means, products, maxima and minima.
    - `y[mask] = ...`, a ScatterND of the rows, becomes a Where, also for a single number.
    - TopK(K) reads all rows, with the lowest score for rows that are not selected. If fewer than K are selected, the
      original model fails.
    - If another node or an output of the graph needs the number of rows, the rows are gathered as before.

    Limits: a sum may round differently, by 1e-6 of the result.
    """

    code = "dense-boolean-indexing"
    after = ("fold-constants", "canonicalize", "static-nms", "static-rotated-nms")
    target = "webgpu"
    tolerance = 1e-6

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        """Rewrite connected selections together; if that fails, those of each mask; if that fails, each alone."""
        if options.table is None:
            return []
        rewrites = [
            self.applied(node, "writes one number wherever the mask is true")
            for node in find_nodes(model, "ScatterND")
            if _scatter_to_where(model, node)
        ]
        for group in connected_choices(find_choices(model, _TYPES)):
            if self._rewrite_group(model, group, rewrites):
                continue
            by_mask: dict[tuple[ir.Value, int, int], list[MaskSelection]] = {}
            for each in group:
                by_mask.setdefault((each.mask, each.axis, len(each.shape)), []).append(each)
            for part in by_mask.values():
                if len(part) < len(group) and self._rewrite_group(model, part, rewrites):
                    continue
                for each in part if len(part) > 1 else ():
                    self._rewrite_group(model, [each], rewrites)
        return rewrites

    def _rewrite_group(self, model: ir.Model, group: Sequence[MaskSelection], rewrites: list[Rewrite]) -> bool:
        """Rewrite a group of selections and report it; return whether it succeeded."""
        where = ", ".join(f"{each.node.op_type} '{each.node.name}'" for each in group)
        try:
            region = MaskedRegion(group, list(model.graph), opset_version(model))
            _check(region)
        except NeedsGatherError as reason:
            if len(group) == 1 and group[0].data is not None:
                rewrites.append(self.skipped(where, str(reason)))
            return False
        rewrite_densely(model, group, region)
        rewrites.append(
            self.applied(where, f"{len(region.inner)} nodes and {len(region.ends)} results of all rows, masked")
        )
        return True


def _check(region: MaskedRegion) -> None:
    if not region.ends:
        raise NeedsGatherError("no output depends on it")
    for node in region.ends:
        value = node.inputs[0]
        if value is not None and node.op_type in REDUCTION_OPS and value.dtype != ir.DataType.FLOAT:
            raise NeedsGatherError(f"{node.op_type} '{node.name}' does not reduce float32")


def _scatter_to_where(model: ir.Model, node: ir.Node) -> bool:
    """Replace a ScatterND of one number to all elements of a mask by a Where; return whether it was one."""
    data, mask, update = node.inputs[0], mask_of_indices(node.inputs[1]), node.inputs[2]
    maker = None if update is None else update.producer()
    if maker is None or maker.op_type != "Expand" or data is None or data.dtype not in _TYPES or mask is None:
        return False
    sizes, taken, one = static_shape(data), static_shape(mask), static_shape(maker.inputs[0])
    if sizes is None or taken is None or one is None or math.prod(one) != 1 or sizes[: len(taken)] != taken:
        return False
    if node.attributes.get_string("reduction", "none") != "none":
        return False
    add = Builder(model.graph, node, f"{node.name or 'ScatterND'}/masked")
    number = add.reshape(maker.inputs[0], [1])
    replace_all_uses(
        node.outputs[0],
        add.op("Where", broadcast_mask(add, mask, [*taken, *[1] * (len(sizes) - len(taken))]), number, data),
    )
    model.graph.remove(node, safe=True)
    return True
