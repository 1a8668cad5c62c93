"""BatchNormalization as in training."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext
from webbuild.inspection.finding import Finding
from webbuild.inspection.rules.base import Rule


class BatchNormTraining(Rule):
    """The run throws: `BatchNormalization trainingMode is not supported yet`.

    Fix: export the model in evaluation mode, `model.eval()`; as it is, the node is left to the CPU, which computes it.
    Source: measured on all versions and builds.
    """

    code = "batchnorm-training"
    operators = ("BatchNormalization",)

    def check(self, node: ir.Node, context: InspectionContext) -> Finding | None:
        """See `HeaderRule`."""
        if not context.on_gpu(node) or node.attributes.get_int("training_mode", 0) == 0:
            return None
        return self.finding(node, "throws", "it computes statistics as in training", "export after model.eval()")
