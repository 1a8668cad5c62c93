from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.postprocess.detr import DetrPostprocess
from webbuild.postprocess.grounding import GroundingPostprocess


class ConstantPixelMask(Pass):
    """Input `pixel_mask [1, H, W]` -> constant of ones `[1, H, W]`.

    Why: transformers' detectors take a mask for batches of images of different sizes: 1 for image, 0 for padding. A
    page runs one image, which fills the input. If the mask stayed an input, it and the positions computed from it would
    be computed on the CPU in every run.

    How: a constant of ones replaces the input, and nodes that depend only on it are folded. The padding of a
    letterboxed image counts as image, so boxes are relative to the whole input.

    Exact for an image that fills the input.
    """

    code = "constant-pixel-mask"
    after = ("canonicalize", "fix-dynamic-dims")
    scope = "main graph"

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        spec = options.missing_postprocess
        ones = spec.constant_masks if isinstance(spec, DetrPostprocess | GroundingPostprocess) else {}
        rewrites = []
        for value in [value for value in model.graph.inputs if value.name in ones]:
            assert value.name is not None
            shape = ones[value.name]
            add = Builder(model.graph, None, value.name)
            value.replace_all_uses_with(add.like(value, np.ones(shape)))
            model.graph.inputs.remove(value)
            rewrites.append(self.applied(f"input '{value.name}'", f"is now a constant of ones {list(shape)}"))
        return rewrites
