from __future__ import annotations

import math

import msgspec
import onnx_ir as ir

from webbuild.manifest.output import Output
from webbuild.manifest.suppression import Suppression
from webbuild.passes.base import PassOptions, Rewrite
from webbuild.passes.nms.box_pattern import BoxNmsPattern
from webbuild.passes.nms.cut_selection import cut_selection
from webbuild.passes.nms.end_before_suppression import NAMELESS, end_before_suppression
from webbuild.passes.nms.generic_pattern import GenericNmsPattern
from webbuild.passes.nms.nms_pass import NmsPass
from webbuild.passes.nms.pattern import NmsPattern
from webbuild.passes.nms.rotated_overlap import rotated_boxes
from webbuild.passes.nms.rotated_pattern import RotatedNmsPattern, allow_any_candidate_count
from webbuild.passes.rewrite import consumers, replace_all_uses, static_shape

_LAYOUT_OPS = {"Reshape", "Unsqueeze", "Squeeze", "Identity"}


class RuntimeNms(NmsPass[NmsPattern | GenericNmsPattern]):
    """Moves NMS from the graph to the bundle's runtime: the graph ends at boxes, scores and rows.

        rows [m, columns] of NonMaxSuppression(Gather(boxes [A, 4], NonZero(score [A] > confidence)))
            ->  outputs boxes [A, 4] or rotated [A, 5], scores [A], rows [A, columns]
        outputs of NonMaxSuppression(boxes [1, A, 4], scores [1, C, A])
            ->  outputs boxes [A, 4], scores [C * A], rows [A, columns]

    Why: with static shapes in the graph, NMS takes some 90 kernels, has a limited number of candidates, and if it does
    not converge, the runtime runs the WASM graph too. The runtime's compute shader takes three dispatches, four for
    rotated boxes or several labels per box, and accepts any number of candidates.

    How: the pass removes the masks and Gathers around NMS, so that all values have one row per anchor. The metadata
    (`SUPPRESSION_KEY`) describes what the runtime does.

    - Rotated boxes: the pass computes the overlaps of random boxes with the graph and with the runtime's formula. It
      rewrites the graph only if both agree.
    - Any other NonMaxSuppression of one image keeps its order: by label, or by score if a TopK follows. If a box is
      kept for several labels, only the label and its score may differ in the outputs. The pass checks this by computing
      random pairs of labels and boxes.

    Limits: thresholds that are inputs. The values of a candidate must not depend on other candidates.

    - After a mask: only one output may depend on the kept boxes, in float32.
    - Otherwise: float32 outputs, integers up to 2^24, and the number of boxes; a TopK must sort by the scores; at most
      2^21 scores.

    `static-nms` and `static-generic-nms` rewrite the rest.

    Exact, unless the export returns more than R boxes, R as in `pad-generic-nms-output`; after a mask there is no R.
    """

    code = "runtime-nms"
    after = ("promote-thresholds",)
    target = "webgpu"
    pattern = (BoxNmsPattern, RotatedNmsPattern, GenericNmsPattern)

    @classmethod
    def runs_on(cls, target: str | None, options: PassOptions) -> bool:
        """Whether the graph is for a bundle and NMS runs in the shader: other loaders have no such runtime."""
        return options.nms == "shader" and target == cls.target

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        """Rewrite the NMS. Keep earlier refusals, as another pass may since have rewritten what this one refused."""
        return super().apply(model, options) or list(self.skips)

    def rewrite(self, model: ir.Model, tail: NmsPattern | GenericNmsPattern, options: PassOptions) -> list[Rewrite]:
        if isinstance(tail, GenericNmsPattern):
            cut = cut_selection(model, tail)
            reason = f"the runtime suppresses {tail.classes} x {tail.boxes} boxes, with {cut} rows out"
            return [self.skipped(tail.where, cut) if isinstance(cut, str) else self.applied(tail.where, reason)]
        boxes = tail.boxes if isinstance(tail, BoxNmsPattern) else _rotated_boxes(model, tail)
        if boxes is None:
            return [self.skipped(tail.where, "its overlaps are not those that the runtime computes")]
        output = _only_output(model, tail)
        if isinstance(output, str):
            return [self.skipped(tail.where, output)]
        _end_graph(model, tail, boxes, output)
        reason = f"the runtime suppresses the boxes of {tail.anchors} anchors, with {tail.max_detections} rows out"
        return [self.applied(tail.where, reason)]


def _rotated_boxes(model: ir.Model, tail: NmsPattern) -> ir.Value | None:
    return rotated_boxes(model, tail) if isinstance(tail, RotatedNmsPattern) else None


def _only_output(model: ir.Model, tail: NmsPattern) -> ir.Value | str:
    """Return the only output of the graph that depends on the kept boxes: the rows; or why it is not supported."""
    thresholds = (tail.mask.threshold, tail.iou)
    if not all(value.is_graph_input() and not value.is_initializer() for value in thresholds):
        return "a threshold is computed"
    reached: set[ir.Value] = set()
    waiting = [node.outputs[0] for node in (*tail.mask.gathers, *tail.kept_gathers)]
    while waiting:
        value = waiting.pop()
        reached.add(value)
        waiting += [
            output_value for node in consumers(value) for output_value in node.outputs if output_value not in reached
        ]
    outputs = [value for value in model.graph.outputs if value in reached]
    if len(outputs) != 1:
        return f"{len(outputs)} outputs depend on the kept boxes"
    value, pads = outputs[0], set(tail.rows.pads)
    while value is not tail.rows.value:
        node = value.producer()
        keeps_rows = node is not None and (node.op_type in _LAYOUT_OPS or node in pads or _expands_nothing(node, tail))
        if node is None or not keeps_rows or node.inputs[0] is None:
            return "the rows of the kept boxes are changed before they become an output"
        value = node.inputs[0]
    shape = static_shape(outputs[0])
    if shape is None or shape[-1] != tail.rows.columns or math.prod(shape[:-1]) < tail.max_detections:
        return f"its output is {shape}, and {tail.max_detections} rows of {tail.rows.columns} numbers were expected"
    if outputs[0].dtype != ir.DataType.FLOAT:
        return "its output is not float32"
    return outputs[0]


def _expands_nothing(node: ir.Node, tail: NmsPattern) -> bool:
    """Whether a node is an Expand of padded rows that does not change their number."""
    source, shape = node.inputs[0], static_shape(node.outputs[0])
    filled = source is not None and source.producer() in tail.rows.pads
    rows = [tail.max_detections, tail.rows.columns]
    return node.op_type == "Expand" and filled and shape is not None and math.prod(shape) == math.prod(rows)


def _end_graph(model: ir.Model, tail: NmsPattern, boxes: ir.Value, output: ir.Value) -> None:
    """Let the graph end before NMS; `canonicalize` removes the unused nodes."""
    rotated = isinstance(tail, RotatedNmsPattern)
    if isinstance(tail, RotatedNmsPattern):
        allow_any_candidate_count(model, tail)
    sources = {each.outputs[0]: each.inputs[0] for each in tail.mask.gathers}
    boxes = sources.get(boxes) or boxes  # these Gathers are removed
    for gather in (*tail.mask.gathers, *tail.kept_gathers):
        replace_all_uses(gather.outputs[0], gather.inputs[0])
    parts = {
        "boxes": (boxes, [tail.anchors, 5 if rotated else 4]),
        "scores": (tail.mask.greater.inputs[0], [tail.anchors]),
        "rows": (tail.rows.value, [tail.anchors, tail.rows.columns]),
    }
    end_before_suppression(
        model,
        [output],
        parts,
        Suppression(
            outputs=[Output(name=output.name or "", dtype="float32", shape=static_shape(output) or [])],
            **NAMELESS,
            confidence=tail.mask.threshold.name or "",
            iou=tail.iou.name or "",
            max_detections=tail.max_detections,
            rotated=True if rotated else msgspec.UNSET,
            max_candidates=tail.mask.max_candidates or msgspec.UNSET,
        ),
    )
