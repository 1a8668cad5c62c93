"""Write conformance/everything: results of the mask generators on synthetic outputs for a grid of points.

python -m models.segment_anything.everything conformance

The reference is `segment_anything` 1.0 for SAM, which has to be installed, and transformers for SAM 2.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from segment_anything import SamAutomaticMaskGenerator
from segment_anything.modeling import Sam

from models.segment_anything.conformance import CLEAR, FRAME, placed, resized, sam2_processor, task

CELLS = 8

CASES: dict[str, dict[str, Any]] = {
    "sam-default": {"size": (150, 97), "perSide": 3},
    "sam-tall": {
        "size": (41, 90), "perSide": 2, "scoreThreshold": 0.75, "stabilityThreshold": 0.7, "stabilityOffset": 2,
    },
    "sam-small-regions": {
        "size": (90, 60), "perSide": 3, "scoreThreshold": 0, "stabilityThreshold": 0.3, "minArea": 150,
    },
    "sam-overlap": {
        "size": (64, 64), "perSide": 3, "scoreThreshold": 0, "stabilityThreshold": 0, "overlapThreshold": 0.3,
    },
    "sam-none": {"size": (20, 20), "perSide": 2, "scoreThreshold": 0.999},
    "sam2-default": {"size": (97, 150), "perSide": 3},
}  # fmt: skip
"""By file name, the picture's width and height, and the settings."""
DEFAULTS = {
    "scoreThreshold": 0.88, "stabilityThreshold": 0.95, "stabilityOffset": 1, "overlapThreshold": 0.7, "minArea": 0,
}  # fmt: skip


class MadeUpAnswers:
    """Replaces SAM's predictor: returns the synthetic outputs for the next points."""

    device = torch.device("cpu")

    def __init__(self, masks: torch.Tensor, scores: torch.Tensor) -> None:
        self.masks, self.scores = masks, scores
        self.model = SimpleNamespace(mask_threshold=0.0)
        self.transform = SimpleNamespace(apply_coords=lambda points, _size: points)

    def set_image(self, _image: np.ndarray | None = None) -> None:
        """Do nothing."""

    reset_image = set_image

    def predict_torch(self, points: torch.Tensor, *_: Any, **__: Any) -> tuple[torch.Tensor, torch.Tensor, None]:
        """Return logits over the picture, and scores."""
        count = len(points)
        found = self.masks[:count], self.scores[:count]
        self.masks, self.scores = self.masks[count:], self.scores[count:]
        return *found, None


def blobs(generator: np.random.Generator, point: tuple[float, float]) -> np.ndarray:
    """Return logits [3, h, w] of a small, a medium and a large disc around a point of the frame, with noise."""
    rows, columns = np.mgrid[:CELLS, :CELLS] + 0.5
    middle = np.array(point) / FRAME * CELLS + generator.normal(0, 0.5, 2)
    distance = np.hypot(columns - middle[0], rows - middle[1])
    sizes = generator.uniform([0.6, 1, 2], [1, 2.5, 5])
    slope = generator.choice([4, 40, 90], 3)[:, None, None]
    noise = generator.normal(0, generator.choice([0.02, 0.2, 1]), (3, CELLS, CELLS))
    return np.round(np.clip(slope * (sizes[:, None, None] - distance + noise), -99, 99), 1).astype(np.float32)


def everything_case(name: str, seed: int) -> dict[str, Any]:
    """Return a case of a grid of points, without logits near a threshold, where rounding would decide."""
    asked = dict(CASES[name])
    size, per_side = asked.pop("size"), asked.pop("perSide")
    settings = {"pointsPerSide": per_side, **DEFAULTS, **asked}
    through_input = name.startswith("sam-")
    letterbox = placed(size, through_input=through_input)
    spec = task(through_input=through_input)
    generator = np.random.default_rng(seed)
    middles = (np.arange(per_side) + 0.5) / per_side
    points = [(x * size[0], y * size[1]) for y in middles for x in middles]
    logits, scores = [], []
    for x, y in points:
        place = x * letterbox["width"] / size[0], y * letterbox["height"] / size[1]
        while True:
            made = blobs(generator, place)
            values = resized(made, letterbox, through_input=through_input)
            offset = settings["stabilityOffset"]
            if min(np.abs(values - level).min() for level in (-offset, 0, offset)) > CLEAR:
                break
        single = [np.zeros_like(made[:1])] if through_input else []
        logits.append(np.concatenate([*single, made]))
        scores.append([0.5] * len(single) + [round(float(score), 4) for score in generator.uniform(0.7, 1, 3)])
    kinds = spec["multi"]
    values = np.stack([resized(each[kinds], letterbox, through_input=through_input) for each in logits])
    iou = np.array(scores, np.float32)[:, kinds]
    find = sam_masks if through_input else sam2_masks
    family = "segment_anything's" if through_input else "transformers' SAM 2's"
    return {
        "about": f"{per_side} x {per_side} points in a picture of {size[0]} x {size[1]}, as {family} generator.",
        "task": spec,
        "letterbox": letterbox,
        "settings": settings,
        "points": [{"logits": each.astype(float).round(1).tolist(), "scores": score}
                   for each, score in zip(logits, scores, strict=True)],
        "want": find(values, iou, points, settings),
        "tolerance": 1e-6,
    }  # fmt: skip


def sam_masks(values: np.ndarray, iou: np.ndarray, _points: list[Any], settings: dict[str, Any]) -> list[Any]:
    """Return the masks of SamAutomaticMaskGenerator."""
    sam = Sam.__new__(Sam)
    torch.nn.Module.__init__(sam)
    sam.image_encoder = SimpleNamespace(img_size=FRAME)
    generator = SamAutomaticMaskGenerator(
        sam,
        points_per_side=settings["pointsPerSide"],
        pred_iou_thresh=settings["scoreThreshold"],
        stability_score_thresh=settings["stabilityThreshold"],
        stability_score_offset=settings["stabilityOffset"],
        box_nms_thresh=settings["overlapThreshold"],
        min_mask_region_area=settings["minArea"],
        output_mode="uncompressed_rle",
    )
    generator.predictor = MadeUpAnswers(torch.from_numpy(values), torch.from_numpy(iou))
    height, width = values.shape[-2:]
    found = generator.generate(np.zeros((height, width, 3), np.uint8))
    return in_order([
        record(each["segmentation"]["counts"], each["bbox"], each["predicted_iou"], each["stability_score"],
               each["point_coords"][0])
        for each in found if each["area"] > 0
    ])  # fmt: skip


def sam2_masks(values: np.ndarray, iou: np.ndarray, points: list[Any], settings: dict[str, Any]) -> list[Any]:
    """Return the masks of transformers' pipeline with SAM 2's processor."""
    processor = sam2_processor().image_processor
    height, width = values.shape[-2:]
    masks, scores, boxes = processor.filter_masks(
        torch.from_numpy(values), torch.from_numpy(iou), (height, width), [0, 0, width, height],
        settings["scoreThreshold"], settings["stabilityThreshold"], 0, settings["stabilityOffset"],
    )  # fmt: skip
    _, scores, runs, boxes = processor.post_process_for_mask_generation(
        masks, scores, boxes, settings["overlapThreshold"]
    )
    offset, found = settings["stabilityOffset"], []
    for score, run, box in zip(scores.tolist(), runs, boxes.tolist(), strict=True):
        at, kind = np.argwhere(iou == np.float32(score))[0]
        inner, outer = ((values[at, kind] > level).sum() for level in (offset, -offset))
        x1, y1, x2, y2 = box
        found.append(record(run["counts"], [x1, y1, x2 - x1, y2 - y1], score, inner / outer, points[at]))
    return in_order(found)


def record(counts: list[int], box: list[int], score: float, stability: float, point: Any) -> dict[str, Any]:
    """Return an expected mask: the generators' boxes end at the last pixel, webbuild's after it."""
    x, y, width, height = map(int, box)
    corners = {"x1": x, "y1": y, "x2": x + width + 1, "y2": y + height + 1}
    return {
        "counts": counts,
        "score": score,
        "stability": float(stability),
        "box": corners,
        "point": list(map(float, point)),
    }


def in_order(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return masks sorted by score: with small regions, the generators return another order."""
    return sorted(found, key=lambda each: -each["score"])


def main(folder: Path) -> None:
    """Write all cases."""
    (folder / "everything").mkdir(exist_ok=True)
    for seed, name in enumerate(CASES):
        case = everything_case(name, seed)
        lines = (f" {json.dumps(key)}: {json.dumps(value)}" for key, value in case.items())
        (folder / "everything" / f"{name}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
