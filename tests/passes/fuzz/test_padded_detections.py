"""Computing on the final detections gives the same results when padded to their maximum number."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same
from tests.passes.two_stages import TwoStages
from webbuild.passes.static_shapes.padded_detections import PaddedDetections

STEPS: dict[str, dict[str, Any]] = {
    "AveragePool": {"kernel_shape": [2, 2], "pads": [1, 1, 0, 0]},
    "Conv": {"pads": [1, 0, 1, 1]},
    "ConvTranspose": {"strides": [2, 1]},
    "GlobalMaxPool": {},
    "InstanceNormalization": {},
    "MaxPool": {"kernel_shape": [2, 1], "pads": [1, 0, 0, 0]},
    "Pad": {"mode": "edge"},
    "Relu": {},
    "Softmax": {"axis": -1},
}
OUTPUTS = ("boxes", "labels", "level", "own", "regions", "stopped")


@given(
    boxes=st.integers(1, 9),
    most=st.integers(1, 6),
    levels=st.lists(st.floats(0, 1), max_size=2),
    classes=st.integers(1, 3),
    first=st.sampled_from((-1.0, 0.5, 2.0)),
    scatter=st.sampled_from(("ScatterElements", "ScatterND")),
    steps=st.lists(st.sampled_from(sorted(STEPS)), max_size=3),
    output=st.sampled_from(OUTPUTS),
    opset=st.sampled_from((12, 13, 16, 18)),
    seed=st.integers(0, 99),
)
def test_heads_of_the_final_detections(
    boxes: int,
    most: int,
    levels: list[float],
    classes: int,
    first: float,
    scatter: str,
    steps: list[str],
    output: str,
    opset: int,
    seed: int,
) -> None:
    stages = TwoStages(boxes, first, seed)
    add, held, random = stages.add, stages.held, stages.random
    held |= {
        "most": np.array([most]),
        "names": random.integers(0, classes, boxes),
        "w": random.normal(size=(2, 2, 2, 2)).astype(np.float32),
        "bias": random.normal(size=2).astype(np.float32),
        "around": np.array([0, 0, 1, 0, 0, 0, 0, 2]),
        "last": random.normal(size=(classes, 2, 1, 1)).astype(np.float32),
        "classes": np.array([classes]),
        "origin": np.array(0),
        "next": np.array(1),
    }
    places = add("Slice", f"{stages.suppress('x', 's', 'first', 'p')} zero most zero", "places")
    box = add("Gather", f"x {places}", "boxes", axis=0)
    label = add("Gather", f"names {places}", "labels", axis=0)
    level, regions = stages.aligned(box, levels, scatter)
    for number, op in enumerate(steps):
        more = {"Conv": " w", "ConvTranspose": " w", "InstanceNormalization": " bias bias", "Pad": " around"}
        regions = add(op, regions + more.get(op, ""), f"regions{number}", **STEPS[op])
    maps = add("Sigmoid", add("Conv", f"{regions} last", "logits"), "maps")
    # the map of its label for each detection: row n * classes + label of [n * classes, H * W]
    rows = add("Flatten", maps, "parts", axis=2)
    count = add("Gather", f"{add('Shape', label, 'labelled')} origin", "counted", axis=0)
    begin = add("Mul", f"{add('Range', f'origin {count} next', 'number')} classes", "begin")
    own = add("Gather", f"{rows} {add('Add', f'{label} {begin}', 'at')}", "own", axis=0)
    # nodes that mix rows read only the existing rows
    stopped = add("CumSum", f"{own} origin", "stopped")
    chosen = {"boxes": box, "labels": label, "level": level, "own": own, "regions": regions, "stopped": stopped}

    add("Cast", chosen[output], "y", to=1)
    assert_same(stages.model(opset), PaddedDetections, stages.feeds, 1e-6)
