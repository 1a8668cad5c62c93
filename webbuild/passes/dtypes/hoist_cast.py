from __future__ import annotations

import onnx_ir as ir

from webbuild.passes.analysis.kernel_lookup import placement
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.dtypes.int32_lowering import DATA_MOVEMENT_OPS
from webbuild.passes.dtypes.private_trees import private_trees
from webbuild.passes.rewrite import attribute_values, find_nodes, replace_all_uses

_TYPES = (ir.DataType.FLOAT, ir.DataType.FLOAT16, ir.DataType.INT32)


class HoistCast(Pass):
    """Casts an int64 input before data movement (Reshape, Tile, Gather), not after it.

        Cast(Tile(Unsqueeze(x int64 [N])) [1, 4 * N], float32)  ->  Tile(Unsqueeze(Cast(x, float32)))

    Why: onnxruntime-web has no int64 data movement on the GPU. RT-DETR's `orig_target_sizes`, for example, goes through
    Tile, Unsqueeze and Cast: each is a node on the CPU.

    How: the input is cast once, on the CPU, where it already is. Everything after that has a type with GPU kernels. The
    pass rewrites only nodes between an input and a Cast. Exact.
    """

    code = "hoist-cast"
    after = ("fold-constants", "append-detr-postprocess", "narrow-int64")
    target = "webgpu"

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        """Rewrite the Casts of each input if that leaves fewer nodes on the CPU."""
        rewrites = []
        cast_chains = [
            chain for node in find_nodes(model, "Cast") if (chain := _CastChain.from_input(model, node, options))
        ]
        for source in dict.fromkeys(chain.source for chain in cast_chains):
            chains = [chain for chain in cast_chains if chain.source is source]
            private = private_trees({chain.cast: chain.moves for chain in chains})
            chains = [chain for chain in chains if chain.cast in private]
            types = dict.fromkeys(chain.to for chain in chains)
            before = len({node for chain in chains for node in chain.nodes})
            if before <= len(types):
                continue
            for to in types:
                add = Builder(model.graph, next(iter(model.graph)), f"{source.name}/cast")
                cast = add.cast(source, to)
                cast.shape, cast.type = source.shape, ir.TensorType(to)
                for chain in chains:
                    if chain.to == to:
                        chain.rewrite(model, cast)
            kinds = " and ".join(to.name.lower() for to in types)
            reason = f"is cast to {kinds} and then moved: {len(types)} node(s) on the CPU instead of {before}"
            rewrites.append(self.applied(f"input '{source.name}'", reason))
        return rewrites


class _CastChain:
    """A Cast, and the data movement between an input and the Cast, the last node first."""

    def __init__(self, source: ir.Value, cast: ir.Node, moves: list[ir.Node]) -> None:
        self.source, self.cast, self.moves = source, cast, moves
        self.to = ir.DataType(cast.attributes.get_int("to", 0))

    @property
    def nodes(self) -> list[ir.Node]:
        """All nodes from the input to the Cast."""
        return [self.cast, *self.moves]

    @classmethod
    def from_input(cls, model: ir.Model, cast: ir.Node, options: PassOptions) -> _CastChain | None:
        """Return the chain that ends in a Cast of int64, None if it does not start at an input of the graph."""
        moves, value = list[ir.Node](), cast.inputs[0]
        if value is None or value.dtype != ir.DataType.INT64 or cast.attributes.get_int("to", 0) not in _TYPES:
            return None
        while value is not None and (node := value.producer()) is not None:
            if node.op_type not in DATA_MOVEMENT_OPS or node.domain not in ("", "ai.onnx"):
                return None
            if placement(model, node, options) != "cpu":
                return None
            moves.append(node)
            value = node.inputs[0]
        return cls(value, cast, moves) if value is not None and value.is_graph_input() else None

    def rewrite(self, model: ir.Model, cast: ir.Value) -> None:
        """Apply the data movement to `cast` instead, and remove the old Cast."""
        value = cast
        add = Builder(model.graph, self.cast, f"{self.source.name}/{self.to.name.lower()}")
        for move in reversed(self.moves):
            shape = move.outputs[0].shape
            value = add.op(move.op_type, value, *move.inputs[1:], **attribute_values(move))
            value.shape, value.type = shape, ir.TensorType(self.to)
        replace_all_uses(self.cast.outputs[0], value)
        model.graph.remove(self.cast, safe=True)
