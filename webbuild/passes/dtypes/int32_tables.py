from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import constant, find_nodes, replace_output

_INT32_MAX = 2**31 - 1


class Int32Tables(Pass):
    """Stores a constant int64 table that a Gather reads as int32.

        Gather(labels [N] int64, i)  ->  Cast(Gather(labels [N] int32, i), int64)

    Why: in most detectors the label of each row is a constant in int64, PyTorch's default. The GPU has no int64 Gather,
    so the labels are gathered on the CPU.

    Limits: constants that fit into int32. Exact.
    """

    code = "int32-tables"
    after = ("fold-constants", "masked-suppression", "padded-detections")
    target = "webgpu"

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        """Rewrite each Gather from a constant by computed indices."""
        if options.table is None:
            return []
        rewrites = []
        for node in find_nodes(model, "Gather"):
            data = constant(node.inputs[0])
            if data is None or data.dtype != np.int64 or not data.size or constant(node.inputs[1]) is not None:
                continue
            if not -_INT32_MAX <= data.min() <= data.max() <= _INT32_MAX:
                continue
            add = Builder(model.graph, node, f"{node.name or 'Gather'}/int32", model.graph.opset_imports.get("", 18))
            small = add.op("Gather", add.const(data, np.int32), node.inputs[1], axis=node.attributes.get_int("axis", 0))
            small.type, small.shape = ir.TensorType(ir.DataType.INT32), node.outputs[0].shape
            replace_output(node, add.cast(small, ir.DataType.INT64))
            model.graph.remove(node, safe=True)
            rewrites.append(self.applied(node, f"its {data.size} numbers are stored as int32"))
        return rewrites
