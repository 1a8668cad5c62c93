"""The parts of a two-stage detector, node by node: NMS, and RoiAlign level by level."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper

from tests.passes.fuzz.model import model_of


class TwoStages:
    """Nodes over boxes `x` [N, 4] with scores `s` [N] and a `map` [1, 2, 8, 8].

    `held` are constants, by name; unused ones are left out of the model.
    """

    def __init__(self, boxes: int, first: float, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        corner = self.random.uniform(0, 1, (boxes, 2))
        self.feeds: dict[str, NDArray[Any]] = {
            "x": np.concatenate([corner, corner + self.random.uniform(0.1, 1, (boxes, 2))], 1).astype(np.float32),
            "s": self.random.permutation(np.linspace(0.05, 0.95, boxes, dtype=np.float32)),
            "map": self.random.uniform(-1, 1, (1, 2, 8, 8)).astype(np.float32),
        }
        self.held: dict[str, NDArray[Any]] = {
            "all": np.array([2**63 - 1]),
            "iou": np.array([0.7], np.float32),
            "first": np.array([first], np.float32),
            "flat": np.array([-1]),
            "zero": np.array([0]),
            "one": np.array([1]),
            "two": np.array([2]),
            "second": np.array([2]),
            "three": np.array([3]),
            "tall": np.array([-1, 1, 1, 1]),
            "thin": np.array([-1, 1]),
            "box": np.array([1, -1, 4]),
            "score": np.array([1, 1, -1]),
            "region": np.array([2, 2, 2]),
            "none": np.array(0, np.float32),
            "zeros": np.zeros(1, np.int64),
        }
        self.nodes: list[onnx.NodeProto] = []

    def add(self, op: str, inputs: str, output: str, **attributes: Any) -> str:
        """Add a node, and return its first output."""
        self.nodes.append(helper.make_node(op, inputs.split(), output.split(), **attributes))
        return output.split()[0]

    def suppress(self, box: str, score: str, threshold: str, name: str) -> str:
        """Add a NonMaxSuppression, and return the indices of the selected boxes, [n]."""
        add = self.add
        lists = f"{add('Reshape', f'{box} box', f'{name}b')} {add('Reshape', f'{score} score', f'{name}s')}"
        triples = add("NonMaxSuppression", f"{lists} all iou {threshold}", f"{name}t")
        return add("Reshape", f"{add('Gather', f'{triples} two', f'{name}c', axis=1)} flat", f"{name}i")

    def aligned(self, box: str, levels: Sequence[float], scatter: str) -> tuple[str, str]:
        """Add RoiAlign of each box on the level of its width; return the level [n] and the regions [n, 2, 2, 2]."""
        add, held = self.add, self.held
        left = add("Reshape", f"{add('Slice', f'{box} zero one one', 'l4')} flat", "left")
        right = add("Reshape", f"{add('Slice', f'{box} second three one', 'r4')} flat", "right")
        width = add("Sub", f"{right} {left}", "width")
        # the level of each box: the number of bounds below its width
        level = add("Cast", add("Mul", f"{width} none", "nought"), "level_0", to=7)
        for number, bound in enumerate(sorted(levels)):
            held[f"bound{number}"] = np.array(bound, np.float32)
            above = add("Cast", add("Greater", f"{width} bound{number}", f"above{number}"), f"is{number}", to=7)
            level = add("Add", f"{level} {above}", f"level_{number + 1}")
        whole = add("Concat", f"{add('Shape', level, 'count')} region", "whole", axis=0)
        regions = add("ConstantOfShape", whole, "y0")
        for number in range(len(levels) + 1):
            held[f"level{number}"] = np.array(number)
            found = add("NonZero", add("Equal", f"{level} level{number}", f"m{number}"), f"f{number}")
            at = add("Reshape", f"{found} flat", f"a{number}")
            sizes = add("Shape", at, f"z{number}")
            pictures = add("Expand", f"zeros {sizes}", f"n{number}")
            taken = add("Gather", f"{box} {at}", f"o{number}", axis=0)
            scale = {"sampling_ratio": 2, "spatial_scale": float(4 >> number)}
            aligned = add("RoiAlign", f"map {taken} {pictures}", f"r{number}", output_height=2, output_width=2, **scale)
            if scatter == "ScatterND":
                back = add("Reshape", f"{at} thin", f"k{number}")
            else:
                counted = add("Concat", f"{sizes} region", f"c{number}", axis=0)
                back = add("Expand", f"{add('Reshape', f'{at} tall', f'v{number}')} {counted}", f"k{number}")
            regions = add(scatter, f"{regions} {back} {aligned}", f"y{number + 1}")
        return level, regions

    def model(self, opset: int) -> onnx.ModelProto:
        """Return the nodes as a model."""
        used = {name for node in self.nodes for name in node.input}
        held = {name: array for name, array in self.held.items() if name in used}
        feeds = {name: array for name, array in self.feeds.items() if name in used}
        return model_of(self.nodes, feeds, opset, held)
