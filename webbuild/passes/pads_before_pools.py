"""Zeros around a picture that the engine would take for the border of a pool."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import onnx_ir as ir

from webbuild.passes._base import Edit, Options, Pass
from webbuild.passes._graph import Builder, constant, nodes_of, opset_of, users

_NEVER_NEGATIVE = ("Relu", "Sigmoid", "HardSigmoid", "Abs", "Exp", "Softmax")
_FLOATS = (ir.DataType.FLOAT, ir.DataType.FLOAT16, ir.DataType.DOUBLE)


class PadsBeforePools(Pass):
    """Lets a Pad of zeros pad with -0, where the engine would make it part of the pool behind it.

    Why: ONNX Runtime's optimiser adds the sizes of a Pad with zeros to the pads of a MaxPool or AveragePool behind
    it, in every build. But a pool leaves its own border out, so that the largest of a window with negative numbers
    and zeros comes out negative; rounding up gives another size; and a border as wide as the window makes no session.

    How: the optimiser takes only a value of which all bits are zero, and -0 is equal to 0. Below opset 11 a Max with
    the least number stands in between. What is never negative and keeps its size is left to the optimiser.
    """

    code = "pads-before-pools"
    after = ("fold-constants",)

    def apply(self, model: ir.Model, options: Options) -> list[Edit]:
        """Change the value of each such Pad."""
        edits = []
        for node in nodes_of(model, "Pad"):
            pool = pool_behind(node)
            if pool is None or mistake(node, pool) is None:
                continue
            where, dtype = f"Pad '{node.name}'", node.outputs[0].dtype
            if dtype not in _FLOATS or opset_of(model) < 8:
                edits.append(self.left(where, f"the engine makes it part of the {pool.op_type}: there is no -0 here"))
                continue
            kind = np.float32 if dtype is None else dtype.numpy()
            if opset_of(model) < 11:
                _part(model, node, kind)
            else:
                add = Builder(model.graph, node, f"{node.name or 'Pad'}/zero")
                inputs = [*node.inputs[:2], add.const(-0.0, kind)]
                node.resize_inputs(3)
                for index, value in enumerate(inputs):
                    node.replace_input_with(index, value)
            edits.append(self.done(where, f"pads with -0, so that the {pool.op_type} behind it counts the zeros"))
        return edits


def pool_behind(node: ir.Node) -> ir.Node | None:
    """Return the pool that is all that reads a Pad, maybe as another type, None if there is none."""
    reader = _only_reader(node)
    if reader is not None and reader.op_type == "Cast":
        reader = _only_reader(reader)
    pools = reader is not None and reader.op_type in ("MaxPool", "AveragePool") and len(reader.outputs) == 1
    automatic = reader is not None and reader.attributes.get_string("auto_pad", "NOTSET") != "NOTSET"
    return reader if pools and not automatic else None


def _only_reader(node: ir.Node) -> ir.Node | None:
    (value,) = node.outputs
    readers = users(value)
    return readers[0] if len(readers) == 1 and not value.is_graph_output() else None


def mistake(node: ir.Node, pool: ir.Node) -> Literal["no-session", "wrong"] | None:
    """Return how it ends if the engine adds the sizes of a Pad to a pool's own, None if well or if it does not."""
    if not _is_fused(node):
        return None
    source, sizes = node.inputs[0], _sizes(node) or []
    producer = None if source is None else source.producer()
    window, rank = pool.attributes.get_ints("kernel_shape", []), len(sizes) // 2
    own = pool.attributes.get_ints("pads", [0] * 2 * len(window))
    if pool.op_type == "AveragePool" and any(own) and not pool.attributes.get_int("count_include_pad", 0):
        return None
    around = zip(own, [*sizes[2:rank], *sizes[rank + 2 :]], [*window] * 2, strict=True)
    if any(first + second >= size for first, second, size in around):
        return "no-session"
    negative = producer is None or producer.op_type not in _NEVER_NEGATIVE
    differs = pool.attributes.get_int("ceil_mode", 0) or (pool.op_type == "MaxPool" and negative)
    return "wrong" if differs else None


def _is_fused(node: ir.Node) -> bool:
    """Whether a Pad puts nothing but zeros around pictures, as far as the optimiser looks."""
    if node.attributes.get_string("mode", "constant") != "constant" or len(node.inputs) > 3:
        return False
    sizes = _sizes(node)
    if sizes is None or min(sizes, default=0) < 0 or any(sizes[: len(sizes) // 2][:2] + sizes[len(sizes) // 2 :][:2]):
        return False
    if len(node.inputs) < 3 or node.inputs[2] is None:
        return node.attributes.get_float("value", 0.0) == 0
    value = constant(node.inputs[2])
    return value is not None and not any(value.tobytes())


def _sizes(node: ir.Node) -> list[int] | None:
    """Return how far a Pad goes before each axis, and then behind each."""
    if len(node.inputs) < 2:
        return list(node.attributes.get_ints("pads", []))
    known = constant(node.inputs[1])
    return None if known is None else [int(size) for size in known]


def _part(model: ir.Model, node: ir.Node, kind: Any) -> None:
    value, reader = node.outputs[0], users(node.outputs[0])[0]
    add = Builder(model.graph, reader, f"{node.name or 'Pad'}/kept")
    reader.replace_input_with(0, add.op("Max", value, add.const(float(np.finfo(np.float32).min), kind)))
