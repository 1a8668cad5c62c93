"""ByteTrack in Python: the ids of the recorded scenes, and minimum-cost assignment."""

from __future__ import annotations

import json
from collections import defaultdict
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from webbuild.tasks.tracking.assignment import assign
from webbuild.tasks.tracking.byte_track import ByteTrack

SCENES = sorted((Path(__file__).parents[2] / "conformance" / "tracking").glob("*.json"))


@pytest.mark.parametrize("scene", SCENES, ids=lambda file: file.stem)
def test_the_ids_of_a_scene_are_those_recorded(scene: Path) -> None:
    recorded = json.loads(scene.read_text("utf-8"))
    frames = defaultdict[int, list[list[float]]](list)
    for line in recorded["mot"]:
        values = [float(each) for each in line.split(",")]
        frames[int(values[0])].append(values)
    tracker, given = ByteTrack(), set[int]()
    for number in range(1, recorded["frames"] + 1):
        lines = np.array(frames[number], np.float64).reshape(-1, 10 if recorded["rotated"] else 9)
        angle = lines[:, 9] if recorded["rotated"] else np.full(len(lines), np.nan)
        centre = lines[:, 2:4] + lines[:, 4:6] / 2
        ids = tracker.update(np.c_[centre, lines[:, 4:6], angle, lines[:, 6:8]])
        assert ids == lines[:, 1].astype(int).tolist(), f"frame {number}"
        given |= {each for each in ids if each >= 0}
    assert len(given) == recorded["want"]["ids"] > 3


def test_a_box_without_area_or_place_has_no_track() -> None:
    rows = np.array([[5, 5, 0, 4, np.nan, 0.9, 0], [np.nan, 5, 4, 4, np.nan, 0.9, 0], [5, 5, 4, 4, np.nan, 0.9, 0]])
    assert ByteTrack().update(rows) == [-1, -1, 1]


def cost_of(columns: list[int], cost: np.ndarray[tuple[int, int], np.dtype[np.float64]], limit: float) -> float:
    return float(sum(limit if column < 0 else cost[row, column] for row, column in enumerate(columns)))


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (1, 1), (3, 5), (5, 3), (5, 5)])
def test_an_assignment_costs_least(shape: tuple[int, int]) -> None:
    random, (rows, columns), limit = np.random.default_rng(7), shape, 0.6
    for _ in range(20):
        cost = random.random(shape)
        found = assign(cost, limit)
        taken = [column for column in found if column >= 0]
        assert len(set(taken)) == len(taken)
        every = permutations([*range(columns), *[-1] * rows], rows)
        least = min(cost_of(list(each), cost, limit) for each in set(every))
        assert cost_of(found, cost, limit) == pytest.approx(least)
