"""Declared sizes of the values that a Loop carries from one iteration to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import onnx_ir as ir


def free_growing_states(model: ir.Model) -> None:
    """Make sizes of 0 that a Loop's body declares for its states free dimensions.

    For a list that grows in each iteration, PyTorch declares the size before the first one:

        Loop(n, true, zeros [0, 40, 56]) { state [0, 40, 56] -> Concat(state, y [1, 40, 56]) }
    """
    import onnx_ir as ir

    for node in model.graph.all_nodes():
        if node.op_type != "Loop" or node.domain not in ("", "ai.onnx"):
            continue
        for state in node.attributes["body"].as_graph().inputs[2:]:
            if state.shape is not None and 0 in state.shape.dims:
                state.shape = ir.Shape([None if dim == 0 else dim for dim in state.shape.dims])
