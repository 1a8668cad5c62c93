"""Measure the shipped network on held-out focal stacks and write the table in models/README.md.

python -m models.depth_from_focus.measure
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime as ort

from models.imagenet import inputs
from models.scenes import dataset
from models.table import README, publish

MODEL = README.with_name("depth-from-focus") / "depth-from-focus.onnx"
SURE = 0.5
"""The share of pixels with the highest confidence that counts as confident."""


def measure(onnx: Path) -> dict[str, str]:
    """Return the measured values by title."""
    session = ort.InferenceSession(onnx, providers=["CPUExecutionProvider"])
    errors, sure, squares, near, naive = [], [], [], [], []
    for stack in dataset.held_out_stacks():
        feed = {"focal_stack": inputs(stack.images)[None], "focus_distances": stack.distances[None]}
        depth, confidence = (np.asarray(value)[0] for value in session.run(["depth", "confidence"], feed))
        error = np.abs(depth - stack.depth) / stack.depth
        errors.append(error.mean())
        sure.append(error[confidence >= np.quantile(confidence, 1 - SURE)].mean())
        squares.append(((depth - stack.depth) ** 2).mean())
        near.append((np.maximum(depth / stack.depth, stack.depth / depth) < 1.25).mean())
        middle = np.exp(np.log(stack.distances).mean())
        naive.append((np.abs(middle - stack.depth) / stack.depth).mean())
    return {
        "held-out focal stacks": str(len(errors)),
        "absolute relative error": f"{np.mean(errors):.3f}",
        "the same in the surer half of each picture": f"{np.mean(sure):.3f}",
        "root mean square error": f"{np.sqrt(np.mean(squares)):.3f} m",
        "pixels within 25 %": f"{np.mean(near):.3f}",
        "absolute relative error of one distance for all": f"{np.mean(naive):.3f}",
    }


if __name__ == "__main__":
    publish({"depth from focus": measure}, "depth-from-focus", MODEL, __doc__)
