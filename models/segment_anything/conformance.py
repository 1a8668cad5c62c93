"""Write conformance/mask-generation and point-prompts: results of transformers' processors on synthetic outputs.

python -m models.segment_anything.conformance conformance

Cases that transformers does not support are in the same folders, computed by hand.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image
from transformers import Sam2ImageProcessor, Sam2Processor, SamImageProcessor, SamProcessor

FRAME, CELLS = 64, 16
PICTURES = {"wide": (37, 20), "tall": (11, 50), "larger": (150, 97), "odd": (63, 64), "one-pixel": (1, 1)}
"""Width and height by name."""
CLEAR = 1e-6
"""Minimum distance of logits from the threshold, else they are drawn again: rounding would decide."""


def task(*, through_input: bool, **more: Any) -> dict[str, Any]:
    """Return a mask-generation task of SAM's four masks, or SAM 2's three."""
    kinds = {"single": 0, "multi": [1, 2, 3]} if through_input else {"single": None, "multi": [0, 1, 2]}
    return {
        "kind": "mask-generation", "masks": "masks", "scores": "scores", **kinds, "frame": [FRAME, FRAME],
        "coordinates": "pixels", "box": "corners", "paddingPoint": through_input, "throughInput": through_input,
        "threshold": 0.0, **more,
    }  # fmt: skip


def sam_processor() -> Any:
    """Return SAM's processor for a frame of 64 pixels."""
    return SamProcessor(SamImageProcessor(size={"longest_edge": FRAME}, pad_size={"height": FRAME, "width": FRAME}))


def sam2_processor() -> Any:
    """Return SAM 2's processor for the same frame."""
    return Sam2Processor(Sam2ImageProcessor(size={"height": FRAME, "width": FRAME}), target_size=FRAME)


def placed(size: tuple[int, int], *, through_input: bool) -> dict[str, Any]:
    """Return the placement in the frame of a picture of width and height."""
    width, height = size
    drawn = {"width": FRAME, "height": FRAME}
    if through_input:
        rows, columns = SamImageProcessor()._get_preprocess_shape((height, width), FRAME)
        drawn = {"width": columns, "height": rows}
    return {"source": {"width": width, "height": height}, "left": 0, "top": 0, **drawn}


def resized(logits: np.ndarray, letterbox: dict[str, Any], *, through_input: bool) -> np.ndarray:
    """Return the logits [masks, h, w] resized by the processor, before the threshold."""
    source = letterbox["source"]["height"], letterbox["source"]["width"]
    batch = [torch.from_numpy(logits)[None].double()]
    if not through_input:
        masks = sam2_processor().post_process_masks(batch, [source], binarize=False)
    else:
        drawn = letterbox["height"], letterbox["width"]
        masks = sam_processor().post_process_masks(batch, [source], [drawn], binarize=False)
    found: np.ndarray = masks[0][0].numpy()
    return found


def mask_case(name: str, seed: int, *, through_input: bool, multimask: bool) -> dict[str, Any]:
    """Return a case of random logits over one of the pictures."""
    letterbox = placed(PICTURES[name], through_input=through_input)
    kinds = 4 if through_input else 3
    generator = np.random.default_rng(seed)
    while True:
        logits = np.round(generator.normal(0, 4, (kinds, CELLS, CELLS)), 2).astype(np.float32)
        values = resized(logits, letterbox, through_input=through_input)
        if np.abs(values).min() > CLEAR:
            break
    scores = [round(float(score), 3) for score in generator.uniform(0.2, 1, kinds)]
    spec = task(through_input=through_input)
    best = int(np.argmax([scores[kind] for kind in spec["multi"]]))
    chosen = spec["multi"] if multimask else [spec["multi"][best]]
    width, height = PICTURES[name]
    family = "SAM" if through_input else "SAM 2"
    return {
        "about": f"Masks over a picture of {width} x {height}, as transformers' {family} processor makes them.",
        "task": spec,
        "letterbox": letterbox,
        "prompt": {"points": [[width / 2, height / 2]], "labels": [1], "multimask": multimask},
        "logits": logits.round(2).astype(float).tolist(),
        "scores": scores,
        "want": {
            "masks": [mask_of(values[kind] > 0, scores[kind]) for kind in chosen],
            "best": best if multimask else 0,
        },
        "tolerance": 1e-6,
    }  # fmt: skip


def mask_of(mask: np.ndarray, score: float) -> dict[str, Any]:
    """Return a mask as rows of 0 and 1, its score and its box."""
    rows, columns = np.nonzero(mask)
    ends = (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1) if len(rows) else (0, 0, 0, 0)
    box = dict(zip(("x1", "y1", "x2", "y2"), map(int, ends), strict=True))
    return {"rows": ["".join(map(str, row)) for row in mask.astype(int).tolist()], "score": score, "box": box}


def prompt_case(name: str, *, through_input: bool) -> dict[str, Any]:
    """Return a case of clicks and a box in a picture, scaled into the frame by the processor."""
    width, height = PICTURES[name]
    points = [[round(width * 0.3, 2), round(height * 0.7, 2)], [width * 0.5, height * 0.25]]
    box = [width * 0.125, height * 0.125, width * 0.75, height * 0.875]
    processor = sam_processor() if through_input else sam2_processor()
    depth = {"input_points": [[points]], "input_labels": [[[1, 0]]], "input_boxes": [[box]]}
    if through_input:
        depth |= {"input_points": [points], "input_labels": [[1, 0]]}
    made = processor(Image.new("RGB", (width, height)), **depth, return_tensors="pt")
    coords = [made[given].double().reshape(-1).tolist() for given in ("input_points", "input_boxes")]
    return {
        "about": f"Two clicks and a box in a picture of {width} x {height}, where transformers' processor puts them.",
        "task": task(through_input=through_input),
        "inputs": [
            point_input("points", [1, 4, 2], "points"),
            point_input("labels", [1, 4], "labels"),
        ],
        "letterbox": placed((width, height), through_input=through_input),
        "prompt": {"points": points, "labels": [1, 0], "box": box},
        "want": {"points": [*coords[0], *coords[1]], "labels": [1, 0, 2, 3]},
        "tolerance": 1e-4,
    }  # fmt: skip


def point_input(name: str, shape: list[int], role: str) -> dict[str, Any]:
    """Return a decoder input that a prompt fills."""
    return {"kind": "point-prompt", "name": name, "dtype": "float32", "shape": shape, "role": role}


def main(folder: Path) -> None:
    """Write all cases."""
    for through_input, family in ((True, "sam"), (False, "sam2")):
        for seed, name in enumerate(PICTURES):
            multimask = name in ("wide", "odd")
            write(folder / "mask-generation" / f"{family}-{name}.json",
                  mask_case(name, seed, through_input=through_input, multimask=multimask))  # fmt: skip
        for name in ("wide", "tall", "larger"):
            write(folder / "point-prompts" / f"{family}-{name}.json", prompt_case(name, through_input=through_input))


def write(path: Path, case: dict[str, Any]) -> None:
    """Write a case, with one line per row of numbers."""
    text = json.dumps(case, indent=1)
    path.write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
