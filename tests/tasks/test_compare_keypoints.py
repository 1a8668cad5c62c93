"""Keypoints of two runs: rounding may choose a neighbouring position with nearly the same score, and no other."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.compare.tolerances import NATIVE, REDUCED_PRECISION, Tolerance
from webbuild.manifest.manifest import HeatmapHead, KeypointsTask, SimccHead
from webbuild.tasks.decoding.crop_detection import CropDetection
from webbuild.tasks.decoding.detection import Box, CropKeypoint
from webbuild.tasks.decoding.keypoint_heads import InputKeypoints, decode_keypoints
from webbuild.tasks.keypoints import TASK
from webbuild.tasks.run_context import RunContext

HEAD = SimccHead(x="x", y="y", split_ratio=2)
SPEC = KeypointsTask(head=HEAD, classes=["person"], keypoints=[], skeleton=[])


def peak(place: float, width: float = 6.0) -> NDArray[np.float32]:
    """Return scores along 128 positions [1, 1, 128] that fall off from a peak, as SimCC learns them."""
    scores: NDArray[np.float64] = np.exp(-((np.arange(128) - place) ** 2) / (2 * width**2))
    return scores.astype(np.float32)[None, None]


def compared(want: NDArray[np.float32], got: NDArray[np.float32], tolerance: Tolerance) -> Comparison:
    """Return the comparison of one keypoint with these scores along x, for a crop that is the whole image."""
    one, other = ([detection(decode_keypoints(SPEC, {"x": x, "y": peak(64.3)}, 64, 64))] for x in (want, got))
    subject = ComparedOutput("webgpu", "sample", "decoded", "")
    found = TASK.compare(SPEC, subject, one, other, RunContext(), tolerance)
    return next(each for each in found if each.subject.quantity == "keypoint")


def detection(found: InputKeypoints) -> CropDetection:
    (x, y), margins = found.points[0, 0], tuple(map(float, found.margins[0, 0]))
    point = CropKeypoint("nose", x, y, float(found.confidence[0, 0]), margins, found.step)
    return CropDetection(Box(0, 0, 64, 64), 1.0, 0, "person", (point,))


@pytest.mark.parametrize(
    ("got", "tolerance", "verdict"),
    [
        (40, REDUCED_PRECISION, "OK"),
        (41, REDUCED_PRECISION, "OK"),
        (46, REDUCED_PRECISION, "DIFFERS"),
        (40, NATIVE, "OK"),
        (41, NATIVE, "DIFFERS"),
    ],
)
def test_a_keypoint_may_be_at_a_place_beside_that_scores_nearly_as_much(
    got: int, tolerance: Tolerance, verdict: str
) -> None:
    said = compared(peak(40.2), peak(got), tolerance)
    assert (said.verdict, said.signal, said.near_threshold) == (verdict, 1, 0)


def test_a_keypoint_is_not_compared_where_a_place_far_away_scores_as_much() -> None:
    said = compared(np.maximum(peak(20), 0.995 * peak(90)), peak(90), REDUCED_PRECISION)
    assert (said.verdict, said.signal, said.near_threshold) == ("OK", 0, 1)


def test_the_distance_that_is_said_is_of_a_keypoint_that_was_compared() -> None:
    unclear, clear = CropKeypoint("nose", 0, 0, 1.0, (0.0,), 0.5), CropKeypoint("ear", 10, 10, 1.0, (0.0, 0.5), 0.5)
    want, got = (
        [CropDetection(Box(0, 0, 64, 64), 1.0, 0, "person", (unclear, msgspec.structs.replace(clear, x=x)))]
        for x in (10, 10.5)
    )
    subject = ComparedOutput("webgpu", "sample", "decoded", "")
    _, said, _ = TASK.compare(SPEC, subject, want, got, RunContext(), REDUCED_PRECISION)
    assert (said.max_abs, said.signal) == (0.5, 1)


@pytest.mark.parametrize(("pixel", "verdict"), [(0.0, "DIFFERS"), (1.0, "DIFFERS"), (4.0, "OK")])
def test_distances_are_measured_in_pixels_of_the_crop_that_a_keypoint_was_found_in(pixel: float, verdict: str) -> None:
    want, got = (
        [CropDetection(Box(0, 0, 64, 64), 1.0, 0, "person", (CropKeypoint("nose", x, 10, 1.0, pixel=pixel),))]
        for x in (10, 10 + 2 * NATIVE.pixels)
    )
    subject = ComparedOutput("webgpu", "sample", "decoded", "")
    _, said, _ = TASK.compare(SPEC, subject, want, got, RunContext(), NATIVE)
    assert said.verdict == verdict


def test_a_number_that_is_none_differs() -> None:
    found = decode_keypoints(SPEC, {"x": np.full((1, 1, 128), np.nan, np.float32), "y": peak(64)}, 64, 64)
    subject = ComparedOutput("webgpu", "sample", "decoded", "")
    said = TASK.compare(SPEC, subject, [detection(found)], [detection(found)], RunContext(), NATIVE)
    assert [each.verdict for each in said if each.subject.quantity == "score"] == ["DIFFERS"]


def test_a_keypoint_is_not_compared_where_its_map_has_no_peak_to_refine() -> None:
    """A Newton step divides by the curvature, which is 0 for noise."""
    maps = np.random.default_rng(3).uniform(0.4, 0.6, (1, 40, 64, 48)).astype(np.float32)
    spec = msgspec.structs.replace(SPEC, head=HeatmapHead(output="maps", refine="udp", unbiased=True))
    found = decode_keypoints(spec, {"maps": maps}, 192, 256)
    cells = np.stack([maps.reshape(1, 40, -1).argmax(-1) % 48, maps.reshape(1, 40, -1).argmax(-1) // 48], -1)
    far = np.abs(found.points / [191 / 47, 255 / 63] - cells).max(axis=-1) > 2
    assert far.any()
    assert ((found.margins == 0).all(axis=-1) == far).all()
