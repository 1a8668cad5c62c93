"""Object ids in the frames of a video: the page's ids, compared with ByteTrack in Python."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.equivalence.answer import Answer
from webbuild.errors import USAGE, WebbuildError
from webbuild.tasks.decoding.detection import Detection, OrientedObject
from webbuild.tasks.metrics.assignment import assign_pairs
from webbuild.tasks.metrics.detection_arrays import from_boxes
from webbuild.tasks.registry import kind_of
from webbuild.tasks.tracking.byte_track import ByteTrack
from webbuild.verify.bundle import Bundle
from webbuild.verify.inputs import VerifyInput, picture_input
from webbuild.verify.report import SampleResult


def require_boxes(bundle: Bundle) -> None:
    """Raise unless the bundle's results can be tracked.

    Raises:
        WebbuildError: `no-tracks`.
    """
    manifest = bundle.manifest
    if manifest.stages or picture_input(manifest) is None or not kind_of(manifest.task).has_detections:
        raise WebbuildError(
            "no-tracks",
            f"--track: {manifest.name} is not a single-stage model that finds boxes in pictures",
            "leave --track out",
            exit_code=USAGE,
        )


def video_picture(inputs: Sequence[VerifyInput], answers: Sequence[Answer]) -> Path | None:
    """Return the picture with the most detections, None if no picture has any."""
    pictured = [each for each in zip(inputs, answers, strict=True) if each[0].file is not None and not each[0].sequence]
    most = max(pictured, key=lambda each: len(each[1].detections), default=None)
    return most[0].file if most is not None and most[1].detections else None


def compare_tracks(runner: str, frames: Sequence[tuple[Answer, SampleResult]]) -> SampleResult:
    """Compare the object ids in a video, as one more result. A frame is (the reference's answer, the page's result).

    Each id must equal ByteTrack's in Python on the page's own detections. These detections are compared with the
    reference's, so ids differ from the reference's only near a score threshold. Without any id the result is vacuous.
    """
    native, page = ByteTrack(), ByteTrack()
    wrong, wanted, near = list[str](), set[int](), 0
    for expected, result in frames:
        ids, again = native.update(_rows(expected.detections)), page.update(_rows(result.detections))
        wanted |= {each for each in ids if each >= 0}
        shown = [-1 if each is None else each for each in result.tracks]
        sides = (from_boxes(detections, len(detections)) for detections in (expected.detections, result.detections))
        near += sum(ids[a] != again[b] for a, b in assign_pairs(*sides).items())
        if shown != again:
            wrong.append(f"wanted {again}, got {shown} at {result.sample.rpartition(', ')[2]}")
    video = frames[0][1].sample.rpartition(", ")[0]
    compared = Comparison(
        subject=ComparedOutput(runner, video, "decoded", "tracks", quantity="ids"),
        verdict="DIFFERS" if wrong else "OK" if wanted else "VACUOUS",
        tolerance=0.0,
        max_abs=float(len(wrong)),
        signal=float(len(wanted)),
        reason="not-equal" if wrong else None if wanted else "nothing-found",
        details=tuple(wrong[:3]),
        near_threshold=near,
    )
    return SampleResult(sample=video, comparisons=(compared,))


def _rows(detections: Sequence[Detection]) -> NDArray[np.float64]:
    """Return detections [n, 7] as `ByteTrack` takes them."""
    return np.array([_row(each) for each in detections], np.float64).reshape(-1, 7)


def _row(detection: Detection) -> list[float]:
    if isinstance(detection, OrientedObject):
        box = [detection.center.x, detection.center.y, detection.width, detection.height, detection.angle]
    else:
        x1, y1, x2, y2 = msgspec.structs.astuple(detection.box)
        box = [(x1 + x2) / 2, (y1 + y2) / 2, x2 - x1, y2 - y1, np.nan]
    return [*box, detection.score, detection.class_index]
