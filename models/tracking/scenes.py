"""Synthetic scenes: detections of boxes that move, cross, occlude one another, vanish and return."""

from __future__ import annotations

import numpy as np

from webbuild.tasks.tracking.kalman import Array

WIDTH, HEIGHT = 640, 480


def scene(seed: int, *, objects: int, frames: int, classes: int, rotated: bool) -> list[tuple[Array, list[int]]]:
    """Return each frame's detections [N, 7] in the form of `byte_track`, and the object of each, -1 for none."""
    random = np.random.default_rng(seed)
    size = random.uniform([30, 60], [70, 130], (objects, 2))
    at = random.uniform([0, 0], [WIDTH, HEIGHT], (objects, 2))
    speed = random.normal(0, 3.5, (objects, 2))
    angle, spin = random.uniform(0, np.pi / 2, objects), random.normal(0, 0.03, objects)
    kind = random.integers(classes, size=objects)
    away = random.integers(frames, size=(objects, 2))
    drawn = []
    for frame in range(frames):
        at, angle = at + speed, angle + spin
        speed = np.where((at < 0) | (at > (WIDTH, HEIGHT)), -speed, speed) + random.normal(0, 0.2, (objects, 2))
        rows, truth = [], []
        for one in range(objects):
            hidden = min(abs(frame - begin) for begin in away[one]) < 4 + one % 20
            covered = max((cover(at[one], size[one], at[o], size[o]) for o in range(one)), default=0.0)
            score = random.uniform(0.55, 0.98) - 0.7 * covered
            if hidden or score < 0.05 or random.random() < 0.04:
                continue
            seen = np.concatenate([at[one], size[one]]) + random.normal(0, 1.5, 4)
            turn = ((angle[one] + random.normal(0, 0.02)) % (np.pi / 2)) if rotated else np.nan
            if rotated and (angle[one] // (np.pi / 2)) % 2:
                seen[[2, 3]] = seen[[3, 2]]
            rows.append([*seen, turn, score, kind[one]])
            truth.append(one)
        for _ in range(random.poisson(0.5)):  # false alarms
            box = [*random.uniform([0, 0, 30, 60], [WIDTH, HEIGHT, 70, 130]), 0.3 if rotated else np.nan]
            rows.append([*box, random.uniform(0.1, 0.8), random.integers(classes)])
            truth.append(-1)
        order = random.permutation(len(rows))
        drawn.append((np.array(rows).reshape(-1, 7)[order], [truth[row] for row in order]))
    return drawn


def cover(at: Array, size: Array, other: Array, others: Array) -> float:
    """Return the share of a box that another box in front covers."""
    low, high = np.maximum(at - size / 2, other - others / 2), np.minimum(at + size / 2, other + others / 2)
    return float(np.prod(np.maximum(high - low, 0)) / np.prod(size))
