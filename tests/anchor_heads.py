"""Detectors with separate outputs for scores and boxes: a specification of each box coding, and random outputs."""

from __future__ import annotations

import numpy as np

from webbuild.postprocess.anchors import AnchorLevel, AnchorPostprocess, Columns

Outputs = dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float32]]]

SIZE = (32, 64)
LEVELS = (
    AnchorLevel(8, 4, 8, ((8.0, 8.0),)),
    AnchorLevel(16, 2, 4, ((16.0, 16.0),)),
    AnchorLevel(32, 1, 2, ((32.0, 32.0),)),
)
PAIRS = (AnchorLevel(8, 4, 8, ((10.0, 10.0), (16.0, 16.0))), AnchorLevel(16, 2, 4, ((32.0, 32.0), (48.0, 48.0))))


def each_level(name: str, numbers: int, levels: tuple[AnchorLevel, ...] = LEVELS) -> tuple[Columns, ...]:
    return tuple(Columns(f"{name}_{level.stride}", 0, numbers) for level in levels)


SPECS = {
    "yunet": AnchorPostprocess(
        scores=each_level("cls", 1),
        objectness=each_level("obj", 1),
        boxes=each_level("bbox", 4),
        keypoints=each_level("kps", 10),
        size=SIZE,
        classes=1,
        coding="exponential",
        levels=LEVELS,
    ),
    "logits of yunet": AnchorPostprocess(
        scores=each_level("cls", 1),
        objectness=each_level("obj", 1),
        boxes=each_level("bbox", 4),
        unused=tuple(each.output for each in each_level("kps", 10)),
        size=SIZE,
        classes=1,
        coding="exponential",
        levels=LEVELS,
        activation="sigmoid",
    ),
    "scrfd": AnchorPostprocess(
        scores=each_level("score", 1, PAIRS),
        boxes=each_level("box", 4, PAIRS),
        size=SIZE,
        classes=1,
        coding="distances",
        levels=PAIRS,
    ),
    "blazeface": AnchorPostprocess(
        scores=(Columns("classificators", 0, 1),),
        boxes=(Columns("regressors", 0, 4),),
        keypoints=(Columns("regressors", 4, 16),),
        size=SIZE,
        classes=1,
        coding="linear",
        levels=PAIRS,
        offset=0.5,
        activation="sigmoid",
    ),
    "ssd": AnchorPostprocess(
        scores=(Columns("conf", 0, 4),),
        boxes=(Columns("loc", 0, 4),),
        keypoints=(Columns("landms", 0, 10),),
        size=SIZE,
        classes=3,
        coding="exponential",
        levels=PAIRS,
        offset=0.5,
        variances=(0.1, 0.2),
        activation="softmax",
        background=True,
        confidence=0.3,
    ),
    "nanodet": AnchorPostprocess(
        scores=(Columns("out", 0, 5),),
        boxes=(Columns("out", 5, 37),),
        size=SIZE,
        classes=5,
        coding="distribution",
        levels=LEVELS,
        max_detections=20,
    ),
    "fastestdet": AnchorPostprocess(
        scores=(Columns("grid", 5, 9, maps=True),),
        objectness=(Columns("grid", 0, 1, maps=True),),
        boxes=(Columns("grid", 1, 5, maps=True),),
        exponents=(0.4, 0.6),
        sigmoid_boxes=True,
        size=SIZE,
        classes=4,
        coding="fastestdet",
        levels=(AnchorLevel(8, 4, 8, ((64.0, 32.0),)),),
    ),
    "yolo-fastestv2": AnchorPostprocess(
        scores=(Columns("both", 10, 13, stop=32),) * 2 + (Columns("both", 10, 13, start=32),) * 2,
        objectness=tuple(Columns("both", 8 + each, 9 + each, stop=32) for each in (0, 1))
        + tuple(Columns("both", 8 + each, 9 + each, start=32) for each in (0, 1)),
        boxes=tuple(Columns("both", 4 * each, 4 * each + 4, stop=32) for each in (0, 1))
        + tuple(Columns("both", 4 * each, 4 * each + 4, start=32) for each in (0, 1)),
        exponents=(1.0, 1.0),
        size=SIZE,
        classes=3,
        coding="yolov5",
        levels=(
            AnchorLevel(8, 4, 8, ((10.0, 6.0),)),
            AnchorLevel(8, 4, 8, ((16.0, 20.0),)),
            AnchorLevel(16, 2, 4, ((32.0, 12.0),)),
            AnchorLevel(16, 2, 4, ((30.0, 30.0),)),
        ),
        offset=0.5,
        confidence=0.3,
    ),
    "grids of yolov5": AnchorPostprocess(
        scores=(Columns("small", 5, 7), Columns("large", 5, 7)),
        objectness=(Columns("small", 4, 5), Columns("large", 4, 5)),
        boxes=(Columns("small", 0, 4), Columns("large", 0, 4)),
        exponents=(1.0, 1.0),
        size=SIZE,
        classes=2,
        coding="yolov5",
        levels=(
            AnchorLevel(8, 4, 8, ((10.0, 6.0),)),
            AnchorLevel(8, 4, 8, ((16.0, 20.0),)),
            AnchorLevel(16, 2, 4, ((32.0, 12.0),)),
            AnchorLevel(16, 2, 4, ((30.0, 30.0),)),
        ),
        offset=0.5,
        sigmoid_boxes=True,
        activation="sigmoid",
    ),
    "corners": AnchorPostprocess(
        scores=(Columns("scores", 0, 2),),
        boxes=(Columns("boxes", 0, 4),),
        size=SIZE,
        classes=2,
        coding="corners",
        parts=True,
    ),
}


GRIDS = {
    "grid": (1, 9, 4, 8),
    "both": (40, 13),
    "small": (1, 2, 4, 8, 7),
    "large": (1, 2, 2, 4, 7),
}
"""Shapes of the outputs that are grids of cells."""


def random_outputs(spec: AnchorPostprocess, seed: int = 0) -> Outputs:
    """Return random outputs [1, anchors, numbers]: scores in 0..1 or logits, and boxes a few strides large."""
    draw = np.random.default_rng(seed)
    if grids := {name: shape for name, shape in GRIDS.items() if name in spec.replaced_outputs}:
        low, high = (-3, 3) if spec.activation == "sigmoid" else (0, 1)
        return {name: draw.uniform(low, high, shape).astype(np.float32) for name, shape in grids.items()}
    anchors = [level.anchors for level in spec.levels] or [40]
    found: Outputs = {}
    for part in (spec.scores, spec.objectness, spec.boxes, spec.keypoints):
        for index, each in enumerate(part):
            rows = sum(anchors) if len(part) == 1 else anchors[index]
            low, high = (0, 1) if part in (spec.scores, spec.objectness) else (-1, 2)
            columns = draw.uniform(low, high, (1, rows, each.end - each.first)).astype(np.float32)
            if spec.activation != "none" and part in (spec.scores, spec.objectness):
                columns = columns * 8 - 4
            before = found.get(each.output)
            found[each.output] = columns if before is None else np.concatenate([before, columns], 2)
    if spec.coding == "corners":
        corners = found[spec.boxes[0].output]
        corners[..., 2:] = corners[..., :2] + np.abs(corners[..., 2:]) / 4
    for name in spec.unused:
        stride = int(name.rpartition("_")[2])
        rows = next(level.anchors for level in spec.levels if level.stride == stride)
        found[name] = np.ones((1, rows, 10), np.float32)
    return found
