"""Write conformance/image-segmentation: results of transformers' own post-processing on small synthetic outputs.

python -m models.mask2former.conformance conformance/image-segmentation

Cases that transformers does not support (padding, a crop) are in the same folder, computed by hand.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from models import swin as swin  # makes torchvision importable

# isort: split
import torch
from transformers import Mask2FormerImageProcessor, MaskFormerImageProcessor, SegformerImageProcessor

CLASSES = ["cat", "dog", "sky", "wall"]
FUSED = [2, 3]
TASK: dict[str, Any] = {
    "kind": "image-segmentation", "masks": "masks", "scores": "scores", "classes": CLASSES, "mode": "panoptic",
    "labelIdsToFuse": FUSED, "maskSize": [384, 384], "threshold": 0.5, "maskThreshold": 0.5,
    "overlapMaskAreaThreshold": 0.8,
}  # fmt: skip
INPUT = {"width": 36, "height": 24}
Blob = tuple[float, float, float]
"""The centre of a mask in cells, x and y, and its radius."""


def masks(blobs: list[Blob], rows: int, columns: int) -> np.ndarray:
    """Return logits [queries, rows, columns], above 0 within the radius of the centre."""
    y, x = np.mgrid[:rows, :columns]
    made = [3 - 3 * np.hypot(x - across, y - down) / reach for across, down, reach in blobs]
    return np.round(np.stack(made), 2).astype(np.float32)


def scores(*best: tuple[int, float]) -> np.ndarray:
    """Return logits [queries, classes + 1]: one class of each query exceeds the others by this much."""
    made = np.zeros((len(best), len(CLASSES) + 1), np.float32)
    for row, (label, by) in enumerate(best):
        made[row, label] = by
    return made


def want(numbers: np.ndarray, found: list[dict[str, Any]], size: tuple[int, int]) -> dict[str, Any]:
    """Return the map as rows of digits, and the regions with these numbers."""
    regions = []
    for number, each in enumerate(found, 1):
        rows, columns = np.nonzero(numbers == number)
        box = [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]
        regions.append({
            "classIndex": each["label_id"], "label": CLASSES[each["label_id"]], "score": each["score"],
            "pixels": len(rows), "share": len(rows) / (size[0] * size[1]),
            "box": dict(zip(("x1", "y1", "x2", "y2"), map(int, box), strict=True)),
        })  # fmt: skip
    return {"map": ["".join(map(str, row)) for row in numbers.astype(int).tolist()], "regions": regions}


def answer(task: dict[str, Any], outputs: Any, size: tuple[int, int]) -> dict[str, Any]:
    """Return transformers' result."""
    if task["scores"] is None:
        named = SimpleNamespace(logits=outputs.masks_queries_logits)
        return by_class(SegformerImageProcessor().post_process_semantic_segmentation(named, [size])[0].numpy(), size)
    processor = Mask2FormerImageProcessor() if task["maskSize"] else MaskFormerImageProcessor()
    bounds = {
        "threshold": task["threshold"], "mask_threshold": task["maskThreshold"],
        "overlap_mask_area_threshold": task["overlapMaskAreaThreshold"], "target_sizes": [size],
    }  # fmt: skip
    if task["mode"] == "semantic":
        return by_class(processor.post_process_semantic_segmentation(outputs, [size])[0].numpy(), size)
    if task["mode"] == "instance":
        (found,) = processor.post_process_instance_segmentation(outputs, **bounds, return_binary_maps=True)
        each = sorted(enumerate(found["segments_info"]), key=lambda pair: -pair[1]["score"])
        numbers = np.zeros(size)
        for rank in range(len(each), 0, -1):  # the best on top
            numbers[found["segmentation"][each[rank - 1][0]].numpy() == 1] = rank
        return want(numbers, [info for _, info in each], size)
    (found,) = processor.post_process_panoptic_segmentation(
        outputs, **bounds, label_ids_to_fuse=set(task["labelIdsToFuse"])
    )
    infos: dict[int, dict[str, Any]] = {}
    for info in found["segments_info"]:
        known = infos.setdefault(info["id"], info)
        assert known["label_id"] == info["label_id"], "transformers gave one number to two classes: choose another case"
        known["score"] = max(known["score"], info["score"])
    return want(np.maximum(found["segmentation"].numpy(), 0), list(infos.values()), size)


def by_class(labels: np.ndarray, size: tuple[int, int]) -> dict[str, Any]:
    """Return a class map as regions in the order of the classes."""
    present = np.unique(labels).tolist()
    numbers = np.searchsorted(present, labels) + 1
    return want(numbers, [{"label_id": label, "score": None} for label in present], size)


FOUR = [(1.5, 1.5, 2.0), (6.0, 2.0, 2.5), (4.0, -3.0, 5.0), (4.0, 8.0, 5.0)]
CASES: dict[str, tuple[str, dict[str, Any], list[Blob], np.ndarray, tuple[int, int]]] = {
    "panoptic": (
        "Every pixel goes to the likeliest query, however unlikely that is.",
        {}, FOUR, scores((0, 4), (1, 5), (2, 6), (3, 5.5)), (12, 18),
    ),
    "labelIdsToFuse": (
        "Two things of one class stay two; two queries of one class that is fused become one region of the best score.",
        {}, [*FOUR, (1.0, 5.0, 1.5)], scores((0, 4), (0, 5), (2, 6), (3, 4.5), (3, 5)), (12, 18),
    ),
    "covered": (
        "A query that is mostly covered by a better one is left out, and its pixels belong to nothing.",
        {}, [(3.0, 3.0, 2.5), (3.3, 3.0, 2.6)], scores((0, 4), (1, 6)), (14, 16),
    ),
    "mask-threshold": (
        "What counts for a query's size is its probability times its score.",
        {"maskThreshold": 0.9, "overlapMaskAreaThreshold": 0.3}, [(2.0, 2.0, 2.5), (4.0, 3.0, 2.0)],
        scores((0, 3.5), (1, 3.4)), (13, 17),
    ),
    "nothing": ("No query is sure enough.", {"maskThreshold": 0.1}, FOUR[:2], scores((0, 1), (4, 6)), (5, 6)),
    "no-grid": (
        "MaskFormer's masks are not resized to 384 x 384 first.",
        {"maskSize": []}, FOUR, scores((0, 4), (1, 5), (2, 6), (3, 5.5)), (11, 15),
    ),
    "instance": (
        "Masks may lie over one another, the best on top; the score is the class's times the mask's.",
        {"mode": "instance"}, [(2.0, 2.0, 2.5), (4.0, 3.0, 2.0), (7.0, 5.0, 2.0)],
        scores((0, 4), (1, 5), (4, 5)), (10, 14),
    ),
    "instance-no-grid": (
        "A mask is read at the cell of a pixel's upper left corner.",
        {"mode": "instance", "maskSize": []}, [(1.0, 1.0, 2.0), (6.0, 4.0, 2.5)], scores((0, 4), (1, 5)), (13, 20),
    ),
    "semantic": (
        "Queries of one class add up.",
        {"mode": "semantic"}, [*FOUR, (1.0, 5.0, 1.5)], scores((0, 1), (0, 2), (2, 3), (3, 1.5), (1, 2)), (12, 18),
    ),
    "class-maps": (
        "A map of logits for each class, and no scores.",
        {"mode": "semantic", "scores": None, "maskSize": [], "labelIdsToFuse": []},
        FOUR, np.zeros((0, 0), np.float32), (9, 13),
    ),
    "enlarged-much": (
        "A picture larger than the grid: the probabilities are interpolated, not the logits.",
        {}, [(1.0, 1.0, 1.5), (3.0, 2.0, 2.0)], scores((0, 5), (1, 6)), (400, 12),
    ),
}  # fmt: skip


def text(case: dict[str, Any]) -> str:
    """Return a case as readable JSON: one row of a map or of scores per line."""
    rows = {name: case[name] or [] for name in ("masks", "scores")}
    lines = [
        f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in case.items() if name not in (*rows, "want")
    ]
    masks = ",\n    ".join("[" + ",\n     ".join(map(json.dumps, mask)) + "]" for mask in rows["masks"])
    lines.insert(4, f'  "masks": [\n    {masks}\n  ]')
    lines.insert(5, f'  "scores": {json.dumps(case["scores"])}')
    wanted = [
        f'    "{name}": [\n      ' + ",\n      ".join(map(json.dumps, case["want"][name])) + "\n    ]"
        for name in case["want"]
    ]
    lines.insert(6, '  "want": {\n' + ",\n".join(wanted) + "\n  }")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main() -> None:
    """Write every case."""
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    for name, (about, changes, blobs, classes, size) in CASES.items():
        task, logits = TASK | changes, masks(blobs, 6, 9)
        outputs = SimpleNamespace(
            masks_queries_logits=torch.from_numpy(logits)[None], class_queries_logits=torch.from_numpy(classes)[None]
        )
        source = {"width": size[1], "height": size[0]}
        case = {
            "about": about, "task": task, "letterbox": {"source": source, "left": 0, "top": 0, **INPUT}, "input": INPUT,
            "masks": [[" ".join(f"{v:g}" for v in row) for row in one] for one in logits],
            "scores": classes.tolist() if len(classes) else None,
            "want": answer(task, outputs, size), "tolerance": 2e-6,
        }  # fmt: skip
        (folder / f"{name}.json").write_text(text(case), "utf-8")


if __name__ == "__main__":
    main()
