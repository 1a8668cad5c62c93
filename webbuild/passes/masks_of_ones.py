"""Masks that say that everything is picture."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes._base import Edit, Options, Pass
from webbuild.passes._graph import Builder
from webbuild.phrase_head import PhraseHead
from webbuild.set_head import SetHead


class MasksOfOnes(Pass):
    """Makes an input `pixel_mask` a constant of ones.

    Why: transformers' detectors take a mask that is 1 where a batch of pictures of different sizes is picture, and 0
    where it is padding. A page runs one picture, which fills the input. Worked out from an input, the mask of
    integers and the positions that follow from it would be computed on the CPU in every run.

    How: the input goes, a constant of ones takes its place, and what hangs on nothing else is computed once. A
    picture that is letterboxed in by choice counts as picture with its padding, so that boxes are parts of the whole
    input however it was fitted in.
    """

    code = "masks-of-ones"
    after = ("clean-up", "freeze-dimensions")

    def apply(self, model: ir.Model, options: Options) -> list[Edit]:
        """Replace the inputs that the options name."""
        ones = options.raw.ones if isinstance(options.raw, SetHead | PhraseHead) else {}
        edits = []
        for value in [value for value in model.graph.inputs if value.name in ones]:
            assert value.name is not None
            assert value.dtype is not None
            shape = ones[value.name]
            add = Builder(model.graph, None, value.name)
            value.replace_all_uses_with(add.const(np.ones(shape), value.dtype.numpy()))
            model.graph.inputs.remove(value)
            edits.append(self.done(f"input '{value.name}'", f"is now a constant of ones {list(shape)}"))
        return edits
