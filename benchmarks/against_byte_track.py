"""How often supervision's ByteTrack assigns the same ids as `webbuild.tasks.tracking`, on random scenes.

`pip install supervision==0.26.1` (MIT), then `python -m benchmarks.against_byte_track`. The ids are read from its
tracks: `update_with_detections()` would match tracks with detections once more, by smoothed boxes.
"""

from __future__ import annotations

import numpy as np
from supervision import ByteTrack as Supervision

from models.tracking.scenes import scene
from webbuild.tasks.tracking.byte_track import HIGH, KEEP, MATCH, ByteTrack

SCENES, FRAMES = 40, 120
SETTINGS = {"track_activation_threshold": HIGH, "lost_track_buffer": KEEP, "minimum_matching_threshold": MATCH}


def other_ids(seed: int, objects: int) -> tuple[int, int]:
    """Return the number of detections of a scene, and how many of them get different ids, or an id in only one."""
    ours, theirs = ByteTrack(), Supervision(**SETTINGS, frame_rate=30, minimum_consecutive_frames=1)
    pairs: dict[int, int] = {-1: -1}
    count = other = 0
    for rows, _ in scene(seed, objects=objects, frames=FRAMES, classes=1, rotated=False):
        centre, half = rows[:, :2], rows[:, 2:4] / 2
        tracks = theirs.update_with_tensors(np.hstack([centre - half, centre + half, rows[:, 5:6]]))
        by_score = {float(track.score): track.internal_track_id for track in tracks}
        for row, given in zip(rows, ours.update(rows), strict=True):
            count += 1
            other += pairs.setdefault(given, by_score.get(float(row[5]), -1)) != by_score.get(float(row[5]), -1)
    return count, other + len(pairs) - len(set(pairs.values()))


if __name__ == "__main__":
    found = [other_ids(100 + seed, 6 + seed % 25) for seed in range(SCENES)]
    print(
        f"{sum(each for each, _ in found)} detections of {SCENES} scenes, {sum(each for _, each in found)} of other ids"
    )
