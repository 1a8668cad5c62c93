"""Write conformance/tracking: the ids from ByteTrack in Python for the boxes of synthetic scenes.

python -m models.tracking.conformance conformance/tracking

A line of `mot` extends MOT Challenge's format: frame, id (-1 for none), left, top, width, height, score, class,
the true object (-1 for none), and the angle of a rotated box, whose left and top are from before the rotation.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from models.tracking.scenes import scene
from webbuild.tasks.tracking.byte_track import ByteTrack

SCENES = {
    "few": ("few objects, one class", 1, 6, 150, 1, False),
    "crowd": ("a crowd that crosses, one class", 2, 30, 100, 1, False),
    "classes": ("three classes: none is matched with another", 3, 20, 100, 3, False),
    "rotated": ("rotated boxes that turn, past a quarter too", 4, 12, 150, 1, True),
}


def counted(frames: Sequence[Sequence[tuple[int, int]]]) -> dict[str, int]:
    """Return ids, switches and fragments of the pairs (object, id) of each frame, as counted by MOT Challenge.

    A switch: an object has another id than before. A fragment: it has an id again after frames without one.
    """
    last: dict[int, int] = {}
    seen: dict[int, int] = {}
    switches = fragments = 0
    for frame, pairs in enumerate(frames):
        for thing, given in pairs:
            if thing < 0 or given < 0:
                continue
            switches += last.get(thing, given) != given
            fragments += seen.get(thing, frame) < frame - 1
            last[thing], seen[thing] = given, frame
    ids = {given for pairs in frames for _, given in pairs if given >= 0}
    return {"ids": len(ids), "switches": switches, "fragments": fragments}


def case(about: str, seed: int, objects: int, frames: int, classes: int, rotated: bool) -> dict[str, object]:
    """Return a scene with the ids of its boxes."""
    tracker, lines, pairs = ByteTrack(), [], []
    drawn = scene(seed, objects=objects, frames=frames, classes=classes, rotated=rotated)
    for number, (exact, truth) in enumerate(drawn, start=1):
        corner = np.round(exact[:, :2] - exact[:, 2:4] / 2, 2)
        found = np.round(exact, 4)
        found[:, 2:4] = np.round(exact[:, 2:4], 2)
        found[:, :2] = corner + found[:, 2:4] / 2
        ids = tracker.update(found)
        pairs.append(list(zip(truth, ids, strict=True)))
        for (left, top), row, given, thing in zip(corner, found, ids, truth, strict=True):
            values = [number, given, left, top, row[2], row[3], row[5], int(row[6]), thing]
            lines.append(",".join(f"{value:.10g}" for value in [*values, *([row[4]] if rotated else [])]))
    return {"about": about, "frames": frames, "rotated": rotated, "mot": lines, "want": counted(pairs)}


def main(folder: Path) -> None:
    """Write a file for each scene."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, settings in SCENES.items():
        made = case(*settings)
        (folder / f"{name}.json").write_text(json.dumps(made, indent=1) + "\n", "utf-8")
        print(name, len(made["mot"]), made["want"])  # type: ignore[arg-type]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
