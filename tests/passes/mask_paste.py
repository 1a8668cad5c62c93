"""The loop of torchvision's detectors that pastes masks into an image, written node by node."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper

from tests.passes.fuzz.model import model_of

CONSTANTS: dict[str, NDArray[Any]] = {
    **{name: np.array(number) for name, number in (("p0", 0), ("p1", 1), ("p2", 2), ("p3", 3))},
    "none": np.array([0]),
    "one": np.array([1]),
    "columns": np.array([1]),
    "start": np.array(True),
    "end": np.array([2**63 - 1]),
}


def paste_model(
    masks: NDArray[Any],
    boxes: NDArray[Any],
    picture: tuple[int, int],
    *,
    opset: int = 16,
    mode: str = "half_pixel",
    resize: str = "linear",
    beside: int = 1,
    counted: str = "masks",
) -> onnx.ModelProto:
    """Return a model that pastes masks [n, 1, M, M'] at boxes [n, 4], float32 or int64, into images [n, H, W].

    `beside` is added to a box's width and height; `counted` is the tensor whose length is the number of iterations.
    """
    nodes: list[onnx.NodeProto] = []

    def add(op: str, inputs: str, output: str, **attributes: Any) -> str:
        nodes.append(helper.make_node(op, inputs.split(" "), [output], **attributes))
        return output

    def column(value: str, name: str) -> str:
        if opset >= 13:
            return add("Unsqueeze", f"{value} none", name)
        return add("Unsqueeze", value, name, axes=[0])

    def extreme(op: str, values: str, name: str) -> str:
        return add(op, add("Concat", values, f"{name}_each", axis=0), name, keepdims=0)

    mask = add("Gather", f"{add('Gather', 'masks i', 'row', axis=0)} p0", "mask", axis=0)
    box = add("Gather", "corners i", "box", axis=0)
    ends = {name: add("Gather", f"{box} p{place}", name, axis=0) for place, name in enumerate(("x0", "y0", "x1", "y1"))}
    sizes = []
    for first, last, name in (("y0", "y1", "h"), ("x0", "x1", "w")):
        length = add("Add", f"{add('Sub', f'{ends[last]} {ends[first]}', f'{name}_less')} beside", f"{name}_own")
        sizes.append(column(extreme("ReduceMax", f"{length} one", f"{name}_most"), name))
    front = add("Concat", "one one", "front", axis=0)
    whole = add("Concat", f"{front} {add('Shape', mask, 'mask_sizes')}", "whole", axis=0)
    mask = add("Expand", f"{mask} {whole}", "mask_in_4")
    target = add("Concat", f"{front} {sizes[0]} {sizes[1]}", "target", axis=0)
    optional = "none_roi none_roi" if opset < 13 else " "
    mask = add("Resize", f"{mask} {optional} {target}", "resized", mode=resize, coordinate_transformation_mode=mode)
    mask = add("Gather", f"{add('Gather', f'{mask} p0', 'resized_3', axis=0)} p0", "resized_2", axis=0)
    shown = {}
    for first, last, size in (("y0", "y1", "height"), ("x0", "x1", "width")):
        start = extreme("ReduceMax", f"{column(first, f'{first}_1')} none", f"{first}_in")
        after = add("Add", f"{column(last, f'{last}_1')} one", f"{last}_after")
        shown[size] = (start, extreme("ReduceMin", f"{after} {size}", f"{last}_in"))
        cut = [column(add("Sub", f"{end} {first}", f"{end}_own"), f"{end}_cut") for end in shown[size]]
        axis = "none" if size == "height" else "columns"
        mask = add("Slice", f"{mask} {cut[0]} {cut[1]} {axis} one", f"cut_{size}")
    for along, (size, (start, end)) in enumerate(shown.items()):
        other = column(
            add("Gather", f"{add('Shape', mask, f'{size}_shape')} p{1 - along}", f"{size}_side"), f"{size}_s"
        )
        lengths = column(start, f"{size}_before"), add("Sub", f"{size} {end}", f"{size}_rest")
        zeros = []
        for length, name in zip(lengths, ("first", "last"), strict=True):
            both = f"{length} {other}" if along == 0 else f"{other} {length}"
            shape = add("Concat", both, f"{size}_{name}_sizes", axis=0)
            zeros.append(add("ConstantOfShape", shape, f"{size}_{name}"))
        mask = add("Concat", f"{zeros[0]} {mask} {zeros[1]}", f"{size}_all", axis=along)
        mask = add("Slice", f"{mask} none {size} {'none' if along == 0 else 'columns'} one", f"{size}_cut")
    add("Concat", f"list {column(mask, 'pasted')}", "longer", axis=0)
    add("Identity", "go", "on")
    body = helper.make_graph(
        nodes,
        "paste",
        [
            helper.make_tensor_value_info("i", TensorProto.INT64, ()),
            helper.make_tensor_value_info("go", TensorProto.BOOL, ()),
            helper.make_tensor_value_info("list", TensorProto.FLOAT, ("rounds", *picture)),
        ],
        [
            helper.make_tensor_value_info("on", TensorProto.BOOL, ()),
            helper.make_tensor_value_info("longer", TensorProto.FLOAT, ("more", *picture)),
        ],
    )
    feeds = {"masks": masks, "boxes": boxes}
    outer = [
        helper.make_node("Cast", ["boxes"], ["corners"], to=TensorProto.INT64),
        helper.make_node("Shape", [counted], ["all_sizes"]),
        helper.make_node("Gather", ["all_sizes", "p0"], ["count"], axis=0),
        helper.make_node("Loop", ["count", "start", "empty"], ["pasted_all"], body=body),
        helper.make_node("Reshape", ["pasted_all", "flat"], ["y"]),
    ]
    held = CONSTANTS | {
        "flat": np.array([-1]),
        "beside": np.array([beside]),
        "empty": np.zeros((0, *picture), np.float32),
        "height": np.array([picture[0]]),
        "width": np.array([picture[1]]),
        "none_roi": np.zeros(0, np.float32),
    }
    used = {name for node in (*outer, *nodes) for name in node.input}
    return model_of(outer, feeds, opset, {name: array for name, array in held.items() if name in used})
