"""Free dimensions given a size."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.passes._arithmetic import evaluate
from webbuild.passes._base import Edit, Options, Pass
from webbuild.passes._shapes import infer


class FreezeDimensions(Pass):
    """Gives every free dimension of the inputs the size asked for with `--dim`, or 1 for a batch.

    A GPU kernel is compiled for shapes: with free ones every new size costs a compilation, shape arithmetic stays
    in the graph as int64 on the CPU, and graph capture is impossible.
    """

    code = "freeze-dimensions"
    after = ("clean-up",)

    def apply(self, model: ir.Model, options: Options) -> list[Edit]:
        """Set the sizes. A dimension without one is left free."""
        edits = []
        named: dict[str | None, int] = {}
        for value in model.graph.inputs:
            if value.shape is None:
                continue
            for axis, dim in enumerate(value.shape):
                name = None if isinstance(dim, int) else dim.value
                size = options.dims.get(f"{value.name}:{axis}", options.dims.get(name or ""))
                if isinstance(dim, int) or size is None:
                    continue
                value.shape = ir.Shape([*value.shape[:axis], size, *value.shape[axis + 1 :]])
                named[name] = size
                edits.append(self.done(f"input '{value.name}'", f"axis {axis} ({name or 'unnamed'}) is now {size}"))
        if edits:
            _infer_outputs(model, named)
        return edits


def _infer_outputs(model: ir.Model, named: dict[str | None, int]) -> None:
    """Infer the outputs' shapes; where that is not possible, put the sizes of the names into what was declared."""
    sizes = {name: size for name, size in named.items() if name is not None}
    declared = [(output, output.shape) for output in model.graph.outputs]
    for output in model.graph.outputs:
        output.shape = None
    infer(model)
    for output, shape in declared:
        if shape is None or (output.shape is not None and len(output.shape) != len(shape)):
            continue
        known = output.shape or shape
        told = [dim if isinstance(dim, int) else evaluate(dim.value, sizes) for dim in shape]
        output.shape = ir.Shape([a if isinstance(a, int) or b is None else b for a, b in zip(known, told, strict=True)])
