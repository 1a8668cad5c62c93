from __future__ import annotations

import onnx_ir as ir

from webbuild.passes.analysis.shape_inference import infer_shapes
from webbuild.passes.analysis.size_expressions import evaluate_size
from webbuild.passes.base import Pass, PassOptions, Rewrite


class FixDynamicDims(Pass):
    """Sets every free dimension of the inputs to the size given with `--dim`, or to 1 for a batch.

        input x [batch, 3, height, width]  ->  x [1, 3, 640, 640]      with --dim height=640 --dim width=640

    Why: a GPU kernel is compiled for static shapes. With free dimensions every new size costs a compilation, shape
    arithmetic stays in the graph as int64 on the CPU, and graph capture is impossible.

    Exact. A free dimension without an option stays free.
    """

    code = "fix-dynamic-dims"
    after = ("canonicalize",)
    scope = "main graph"

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        rewrites = []
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
                rewrites.append(
                    self.applied(f"input '{value.name}'", f"axis {axis} ({name or 'unnamed'}) is now {size}")
                )
        if rewrites:
            _infer_outputs(model, named)
        return rewrites


def _infer_outputs(model: ir.Model, named: dict[str | None, int]) -> None:
    """Infer the outputs' shapes; sizes that stay unknown are evaluated from the declared dimension names."""
    sizes = {name: size for name, size in named.items() if name is not None}
    declared = [(output, output.shape) for output in model.graph.outputs]
    for output in model.graph.outputs:
        output.shape = None
    infer_shapes(model)
    for output, shape in declared:
        if shape is None or (output.shape is not None and len(output.shape) != len(shape)):
            continue
        known = output.shape or shape
        evaluated = [dim if isinstance(dim, int) else evaluate_size(dim.value, sizes) for dim in shape]
        differing = _axes_by_branch(output)
        output.shape = ir.Shape(
            [
                a if isinstance(a, int) or b is None or axis in differing else b
                for axis, (a, b) in enumerate(zip(known, evaluated, strict=True))
            ]
        )


def _axes_by_branch(output: ir.Value) -> set[int]:
    """Return the axes of an output that have another size in each branch of an If: the declared one is that of one."""
    node = output.producer()
    if node is None or node.op_type != "If":
        return set()
    branches = (node.attributes[name].as_graph() for name in ("then_branch", "else_branch"))
    shapes = [list(branch.outputs[output.index() or 0].shape or ()) for branch in branches]
    return {axis for axis, dims in enumerate(zip(*shapes, strict=False)) if dims[0] != dims[1]}
