"""Declared sizes of the values that a Loop carries from one iteration to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import onnx_ir as ir


def free_growing_states(model: ir.Model) -> None:
    """Make the sizes of 0 free that a Loop's body declares of its states.

    PyTorch declares of a list that grows with each round the size that it has before the first:

        Loop(n, true, zeros [0, 40, 56]) { state [0, 40, 56] -> Concat(state, y [1, 40, 56]) }
    """
    import onnx_ir as ir

    for node in model.graph.all_nodes():
        if node.op_type != "Loop" or node.domain not in ("", "ai.onnx"):
            continue
        for state in node.attributes["body"].as_graph().inputs[2:]:
            if state.shape is not None and 0 in state.shape.dims:
                state.shape = ir.Shape([None if dim == 0 else dim for dim in state.shape.dims])
