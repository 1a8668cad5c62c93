from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.dtypes.retype import retype, tensors_of

_LIMIT = float(np.finfo(np.float32).max)


class Float64ToFloat32(Pass):
    """Converts float64 constants, casts and values to float32, in subgraphs too.

        Cast<to = float64>(x) -> Mul(x, half float64)  ->  Cast<to = float32>(x) -> Mul(x, half float32)

    Why: onnxruntime-web's WebGPU builds have no float64 kernels, not even for the CPU. With one such value anywhere no
    session can be created ("Provider type for Cast node ... is not set"). Most come from a NumPy constant or a
    `torch.float64` schedule and need no more than float32 accuracy; `pack` checks that by comparing the outputs.

    How: all values change at once, or none. The pass refuses constants beyond the range of float32, which would become
    infinite.

    Accurate to 1e-5 of the largest magnitude.
    """

    code = "float64-to-float32"
    after = ("canonicalize",)
    scope = "whole model"
    tolerance = 1e-5

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        """Convert all values, or none."""
        for name, array in tensors_of(model, ir.DataType.DOUBLE):
            finite = array[np.isfinite(array)]
            if finite.size and np.abs(finite).max() > _LIMIT:
                return [self.skipped(name, "holds values beyond the range of float32")]
        changed = retype(model, ir.DataType.DOUBLE, ir.DataType.FLOAT)
        return (
            [self.applied("graph", f"{changed} float64 constants, casts and values are now float32")] if changed else []
        )
