from __future__ import annotations

from collections.abc import Collection

import onnx_ir as ir

from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder

_INDEX_OPS = ("Gather", "GatherElements")
"""Operators whose second input is indices and may be int32; those of GatherND must be int64."""
_INT64, _INT32 = ir.DataType.INT64, ir.DataType.INT32


class Int32Inputs(Pass):
    """Changes int64 inputs that the model casts immediately to int32.

        mask: int64 -> Cast<to = float32> -> f  ->  mask: int32 -> Cast<to = float32> -> f

    Why: onnxruntime-web has no Cast of int64 on the GPU. An attention mask or an image size is cast on the CPU. One
    node on the CPU rules out graph capture for the whole graph.

    How: in bundles only. Their runtime accepts int64 too and checks that the numbers fit; `webbuild patch` does not
    change a graph's inputs. The graph for WASM gets a Cast to int64 after each changed input.

    Limits: only inputs that are read by nothing else than Cast, Shape and as indices of a Gather. States stay, as they
    have the type of an output. Exact for numbers that fit into 32 bits.
    """

    code = "int32-inputs"
    after = ("hoist-cast", "narrow-int64", "rank-comparisons", "eliminate-no-ops")
    target = "webgpu"
    scope = "main graph"

    @classmethod
    def runs_on(cls, target: str | None, options: PassOptions) -> bool:
        """Whether the graph is the one for the GPU in a bundle."""
        return options.int32_inputs and super().runs_on(target, options)

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        inputs = [value for value in model.graph.inputs if value.name not in options.states and _is_cast(value)]
        for value in inputs:
            value.type = ir.TensorType(_INT32)
        return [self.applied(f"input '{value.name}'", "is int32, not int64: it is cast on the GPU") for value in inputs]


def take_int32(model: ir.Model, other: ir.Model) -> list[Rewrite]:
    """Change the inputs of a graph to int32 that are int32 in the model's `other` graph, and cast them to int64."""
    narrow = {value.name for value in other.graph.inputs if value.dtype == _INT32}
    inputs = [value for value in model.graph.inputs if value.dtype == _INT64 and value.name in narrow]
    for value in inputs:
        uses = list(value.uses())
        add = Builder(model.graph, next(iter(model.graph)), f"{value.name}/int64")
        wide = add.cast(value, _INT64)
        wide.shape, wide.type = value.shape, value.type
        value.type = ir.TensorType(_INT32)
        for use in uses:
            use.node.replace_input_with(use.idx, wide)
    return [Rewrite(Int32Inputs.code, f"input '{value.name}'", True, "is int32, not int64") for value in inputs]


def reads_int32(value: ir.Value, without: Collection[ir.Node] = ()) -> bool:
    """Whether all readers of an int64 input, except those in `without`, could also read it as int32."""
    uses = [use for use in value.uses() if use.node not in without]
    reads = [(use.node.op_type, use.idx) for use in uses if use.node.domain in ("", "ai.onnx")]
    known = all(op in ("Cast", "Shape") or (op in _INDEX_OPS and index == 1) for op, index in reads)
    return known and len(reads) == len(uses) and not value.is_graph_output()


def _is_cast(value: ir.Value) -> bool:
    """Whether an int64 input is cast, and all its readers could also read int32."""
    if value.dtype != _INT64 or value.is_initializer():
        return False
    return reads_int32(value) and any(use.node.op_type == "Cast" for use in value.uses())
