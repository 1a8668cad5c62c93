from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.rewrite import constant, find_nodes, replace_all_uses, static_shape


class RedundantScatter(Pass):
    """Removes a ScatterND or ScatterElements that replaces every element of its data, in order.

        ScatterND(data [N, C], indices = [[0], ..., [N - 1]], updates [N, C])     ->  updates
        ScatterElements<axis>(data [N, C], indices = positions, updates [N, C])   ->  updates

    Why: exporters write such a node for `out[i] = rows` and for `out[..., :n] = rows`. For a batch of one, or if n is
    the number of columns, the node is a copy with int64 indices. If the shape of the updates is unknown, it follows
    from the shape of the indices.

    Exact.
    """

    code = "redundant-scatter"
    after = ("fold-constants", "static-nms", "pad-nms-output")

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        rewrites = []
        for node in find_nodes(model, "ScatterND", "ScatterElements"):
            updates = node.inputs[2]
            data = static_shape(node.inputs[0])
            if updates is not None and data is not None and _overwrites_all(node, data):
                updates.shape = ir.Shape(data)
                replace_all_uses(node.outputs[0], updates)
                rewrites.append(self.applied(node, "its updates replace all its data"))
        return rewrites


def _overwrites_all(node: ir.Node, data: list[int]) -> bool:
    updates, indices = static_shape(node.inputs[2]), constant(node.inputs[1])
    if updates not in (None, data) or indices is None:
        return False
    if node.attributes.get_string("reduction", "none") != "none":
        return False
    if node.op_type == "ScatterND":
        # indices [d0, ..., dk, k + 1] must contain each position of the first k + 1 axes, in order
        named = data[: indices.shape[-1]]
        return list(indices.shape[:-1]) == named and bool((indices == np.moveaxis(np.indices(named), 0, -1)).all())
    axis = node.attributes.get_int("axis", 0) % len(data)
    along = np.arange(data[axis]).reshape([-1 if i == axis else 1 for i in range(len(data))])
    return list(indices.shape) == data and bool((indices == along).all())
