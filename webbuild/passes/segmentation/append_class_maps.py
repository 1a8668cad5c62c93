from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.analysis.shape_inference import infer_shapes
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.nms.append_nms import NMS_APPENDED_KEY
from webbuild.passes.opset.raise_opset import raise_opset
from webbuild.passes.rewrite import static_shape
from webbuild.postprocess.class_maps import ClassMapsPostprocess, label_map_size
from webbuild.postprocess.output_names import CLASS_MAPS

_MIN_OPSET = 11
"""First opset in which the pads of Pad are an input."""
_LABEL_TYPES = (ir.DataType.UINT8, ir.DataType.INT32, ir.DataType.INT64)


class AppendClassMaps(Pass):
    """`maps [1, H, W, C]` -> `class_maps [1, C, H, W]`; `mask [1, 1, H, W]` -> `class_maps [1, 2, H, W]`.

        maps [1, H, W, C]                       ->  class_maps [1, C, H, W]
        mask [1, 1, H, W] or [1, H, W, 1]       ->  class_maps [1, 2, H, W] = (threshold, mask)
        labels [1, H, W]                        ->  class_maps [1, C, H, W] = (labels == 0, .., labels == C - 1)

    Why: the runtime computes an argmax over the class maps for each pixel. TensorFlow exports are channels-last, a
    model that segments people, hair or text returns a single map, and Ultralytics and PaddleSeg export the argmax.

    How: a Transpose; for a mask, a constant map as the first class. The constant is the threshold of the mask: 0.5 for
    a probability, 0 for a logit. Labels are compared with the number of each class. An older model is raised to opset
    11. Exact.
    """

    code = "append-class-maps"
    after = ("fold-constants", "fix-dynamic-dims", "float16-io")
    scope = "main graph"

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        spec = options.missing_postprocess
        if not isinstance(spec, ClassMapsPostprocess) or NMS_APPENDED_KEY in model.metadata_props:
            return []
        where = f"output '{spec.output}'"
        output = next((value for value in model.graph.outputs if value.name == spec.output), None)
        if output is None:
            return [self.skipped(where, "no output has that name")]
        if (reason := _blocker(model, output, spec) or raise_opset(model, _MIN_OPSET)) is not None:
            return [self.skipped(where, reason)]
        output = next(value for value in model.graph.outputs if value.name == spec.output)
        add = Builder(model.graph, None, "class_maps")
        _, height, width, classes = _sizes(output, spec)
        maps: ir.Value = output
        if spec.labels:
            maps, classes = _one_map_per_label(add, output, spec, (height, width)), spec.classes
        elif spec.channels_last:
            # [1, H, W, C] -> [1, C, H, W]; with one channel a Reshape suffices
            maps = (
                add.op("Transpose", maps, perm=[0, 3, 1, 2]) if classes > 1 else add.reshape(maps, _nchw(output, spec))
            )
        if classes == 1:
            maps = _with_background(add, maps, spec)
        shape = [1, spec.classes, height, width]
        maps.name, maps.shape, maps.type = CLASS_MAPS, ir.Shape(shape), ir.TensorType(ir.DataType.FLOAT)
        model.graph.outputs[list(model.graph.outputs).index(output)] = maps
        model.metadata_props[NMS_APPENDED_KEY] = "class maps"
        infer_shapes(model)
        return [self.applied(where, f"'{CLASS_MAPS}' {shape} takes its place")]


def _with_background(add: Builder, mask: ir.Value, spec: ClassMapsPostprocess) -> ir.Value:
    """Return the mask with a constant map in front, [1, 2, H, W]."""
    # Pad by one channel in front: [1, 1, H, W] -> [1, 2, H, W]
    return add.op("Pad", mask, add.const([0, 1, 0, 0, 0, 0, 0, 0], np.int64), add.const(spec.threshold))


def _one_map_per_label(add: Builder, labels: ir.Value, spec: ClassMapsPostprocess, size: tuple[int, int]) -> ir.Value:
    """Return a map [1, C, H, W] with 1 at each pixel of its class, 0 elsewhere."""
    numbers = add.const(np.arange(spec.classes).reshape(1, -1, 1, 1), np.int32)
    one = add.reshape(add.cast(labels, ir.DataType.INT32), [1, 1, *size])
    return add.cast(add.op("Equal", one, numbers), ir.DataType.FLOAT)


def _blocker(model: ir.Model, output: ir.Value, spec: ClassMapsPostprocess) -> str | None:
    shape = static_shape(output)
    if shape is None or len(shape) not in ((3, 4) if spec.labels else (4,)) or shape[0] != 1:
        return f"its shape is {shape}, and maps of one image were expected"
    if output.dtype is None or (output.dtype not in _LABEL_TYPES if spec.labels else output.dtype != ir.DataType.FLOAT):
        return "it is not integers" if spec.labels else "it is not float32"
    if output.is_graph_input() or output.is_initializer():
        return "no node computes it"
    if any(value.name == CLASS_MAPS for value in model.graph.outputs):
        return f"another output has the name '{CLASS_MAPS}'"
    return None


def _sizes(output: ir.Value, spec: ClassMapsPostprocess) -> tuple[int, int, int, int]:
    shape = static_shape(output) or [0, 0, 0, 0]
    if spec.labels:
        return (1, *label_map_size(shape), 1)
    first, second, third, fourth = shape
    return (first, second, third, fourth) if spec.channels_last else (first, third, fourth, second)


def _nchw(output: ir.Value, spec: ClassMapsPostprocess) -> list[int]:
    batch, height, width, channels = _sizes(output, spec)
    return [batch, channels, height, width]
