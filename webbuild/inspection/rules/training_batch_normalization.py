"""BatchNormalization as in training."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context
from webbuild.inspection.rules._base import Rule


class TrainingBatchNormalization(Rule):
    """The run throws: `BatchNormalization trainingMode is not supported yet`.

    Mend: export the model in evaluation mode, `model.eval()`; as it is, training-norms writes it in its parts.
    Source: measured on all versions and builds.
    """

    code = "training-batch-normalization"
    operators = ("BatchNormalization",)
    passes = ("training-norms",)

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        if not context.on_gpu(node) or node.attributes.get_int("training_mode", 0) == 0:
            return None
        return self.finding(node, "throws", "it computes statistics as in training", "export after model.eval()")
