from __future__ import annotations

import math

import onnx_ir as ir

from webbuild.passes.analysis.channels_last import TO_CHANNELS_LAST, is_channels_last
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import consumers, find_nodes, replace_output, static_shape


class JoinChannelsLast(Pass):
    """`Concat` of the levels of a detection head [1, C, H W] -> `Transpose(Concat)` of levels [1, H W, C].

        Concat<axis = 2>(Reshape(Conv(x) [1, C, H, W]) -> [1, C, H W], ..)
            ->  Transpose(Concat<axis = 1>(Reshape(Transpose(Conv(x)) [1, H, W, C]) -> [1, H W, C], ..))

    Why: the engine computes a convolution channels last, and transposes its output: once for each level. The Transpose
    that the pass adds cancels the engine's. One is left for all levels, none if there is one channel.

    Limits: fixed shapes; nothing else may read the levels. Exact.
    """

    code = "join-channels-last"
    after = ("runtime-nms", "static-nms", "static-rotated-nms", "static-generic-nms", "eliminate-no-ops")
    target = "webgpu"

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        rewrites = []
        for node in find_nodes(model, "Concat"):
            levels, shape = [_level(value) for value in node.inputs], static_shape(node.outputs[0])
            known_levels = [level for level in levels if level is not None]
            along_last = node.attributes.get_int("axis", 0) in (2, -1)
            if shape is None or len(known_levels) < max(2, len(levels)) or not along_last:
                continue
            batch, channels, anchors = shape
            add = Builder(model.graph, node, f"{node.name or 'Concat'}/last")
            rows = []
            for level in known_levels:
                _, _, height, width = static_shape(level) or [0, 0, 0, 0]
                # [N, C, H, W] -> [N, H, W, C] -> [N, H W, C]
                last = add.op("Transpose", level, perm=list(TO_CHANNELS_LAST))
                rows.append(add.reshape(last, [batch, height * width, channels]))
            joined = add.op("Concat", *rows, axis=1)
            single = channels == 1
            replace_output(node, add.reshape(joined, shape) if single else add.op("Transpose", joined, perm=[0, 2, 1]))
            rewrites.append(
                self.applied(node, f"{len(known_levels)} levels of {channels} channels, {anchors} anchors in all")
            )
        return rewrites


def _level(value: ir.Value | None) -> ir.Value | None:
    """Return the convolution output [N, C, H, W] before `value` [N, C, H W], if nothing else reads either."""
    shape, reshape = static_shape(value), value.producer() if value is not None else None
    source = reshape.inputs[0] if reshape is not None and reshape.op_type == "Reshape" else None
    grid = static_shape(source)
    if shape is None or source is None or grid is None or len(grid) != 4:
        return None
    is_level = shape == [*grid[:2], math.prod(grid[2:])]
    alone = value is not None and all(
        len(consumers(each)) == 1 and not each.is_graph_output() for each in (value, source)
    )
    return source if is_level and alone and is_channels_last(source) else None
