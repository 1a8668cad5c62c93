from __future__ import annotations

import onnx_ir as ir

from webbuild.passes.decompose.base import Decomposers, Decomposition, NotApplicableError


class DecomposePools(Decomposition):
    """`GlobalAveragePool(x [N, C, H, W])` -> `ReduceMean(x, (2, 3)) [N, C, 1, 1]`; `GlobalMaxPool` -> `ReduceMax`.

    Why: global pools have no GPU kernel from opset 22 on.

    Accurate to 1e-5 of the largest magnitude.
    """

    code = "decompose-pools"
    tolerance = 1e-5

    def decomposers(self) -> Decomposers:
        return {
            "GlobalAveragePool": lambda add, node: add.reduce("ReduceMean", node.inputs[0], _axes(node)),
            "GlobalMaxPool": lambda add, node: add.reduce("ReduceMax", node.inputs[0], _axes(node)),
        }


def _axes(node: ir.Node) -> list[int]:
    x = node.inputs[0]
    if x is None or x.shape is None or len(x.shape) < 3:
        raise NotApplicableError("its rank is not known")
    return list(range(2, len(x.shape)))
