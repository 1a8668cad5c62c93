"""Crops show the box with a margin around it, and keypoints are mapped back to the image."""

from __future__ import annotations

import numpy as np
import pytest

from models.top_down_pose.crops import BINS, HEIGHT, ROOM, WIDTH, decoded, moved, placed, warp


@pytest.mark.parametrize(
    "box", [(10, 20, 40, 120), (10, 20, 200, 60), (0, 0, 48, 64)], ids=["upright", "lying", "of the crop's aspect"]
)
def test_a_crop_has_its_aspect_and_room_around_the_box(box: tuple[float, ...]) -> None:
    edges = np.array(box, float)
    middle, size = placed(edges)
    assert middle == pytest.approx((edges[:2] + edges[2:]) / 2)
    assert size[0] / size[1] == pytest.approx(WIDTH / HEIGHT)
    assert (size / (edges[2:] - edges[:2])).min() == pytest.approx(ROOM)


def test_corners_of_what_is_shown_are_corners_of_the_crop() -> None:
    middle, size = placed(np.array([10.0, 20, 40, 120]))
    corners = np.stack([middle - size / 2, middle + size / 2])
    assert moved(corners, warp(middle, size)) == pytest.approx(np.array([[0, 0], [WIDTH, HEIGHT]]))


def test_a_mirrored_crop_swaps_left_and_right() -> None:
    middle, size = placed(np.array([10.0, 20, 40, 120]))
    point = middle + np.array([3, 7])
    across, down = moved(point, warp(middle, size))
    assert moved(point, warp(middle, size, mirrored=True)) == pytest.approx((WIDTH - across, down))


def test_a_turned_crop_keeps_its_middle_and_all_distances() -> None:
    middle, size = placed(np.array([10.0, 20, 40, 120]))
    points = middle + np.array([[0, 0], [5, 0], [0, 5]])
    turned = moved(points, warp(middle, size, turn=0.6))
    assert turned[0] == pytest.approx((WIDTH / 2, HEIGHT / 2))
    away = np.linalg.norm(turned[1:] - turned[0], axis=1)
    assert away == pytest.approx(5 * WIDTH / size[0])
    assert turned[1, 1] < turned[0, 1]  # anticlockwise


def test_points_found_in_a_crop_lie_where_they_were_in_the_picture() -> None:
    rng = np.random.default_rng(0)
    boxes = [np.array([10.0, 20, 40, 120]), np.array([100.0, 5, 300, 90])]
    middles, sizes = (np.stack(part) for part in zip(*map(placed, boxes), strict=True))
    bins = rng.integers(0, (WIDTH * BINS, HEIGHT * BINS), (2, 17, 2))
    along_x, along_y = np.zeros((2, 17, WIDTH * BINS)), np.zeros((2, 17, HEIGHT * BINS))
    np.put_along_axis(along_x, bins[..., :1], 0.8, 2)
    np.put_along_axis(along_y, bins[..., 1:], 0.4, 2)
    points, confidence = decoded(along_x, along_y, middles, sizes)
    assert confidence == pytest.approx(np.full((2, 17), 0.6))
    for number in range(2):
        back = moved(points[number], warp(middles[number], sizes[number]))
        assert back == pytest.approx(bins[number] / BINS)
