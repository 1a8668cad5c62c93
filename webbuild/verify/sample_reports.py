"""The samples in a report: each picture with the reference's prediction."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from webbuild.equivalence.answer import Answer
from webbuild.manifest.manifest import Task
from webbuild.preprocess.point_prompt import BACKGROUND, FOREGROUND, PointPrompt
from webbuild.reporting.prediction_image import prediction_image_url
from webbuild.tasks.decoding.class_scores import ClassScore
from webbuild.tasks.decoding.depth_map import DepthMap
from webbuild.tasks.metrics.compare_classes import TOP_CLASSES
from webbuild.verify.bundle import Bundle
from webbuild.verify.inputs import VerifyInput
from webbuild.verify.report import PointedAt, SampleReport
from webbuild.verify.run_backend import ReferenceResults


def sample_reports(
    bundle: Bundle, task: Task, reference: ReferenceResults, more: Sequence[Path]
) -> tuple[SampleReport, ...]:
    """Return a report for each sample; a sequence counts once.

    Frames and the pictures `more` are temporary files: their reports have no file.
    """
    samples = [
        _sample_report(
            bundle, task, msgspec.structs.replace(verify_input, file=None) if is_gone else verify_input, expected
        )
        for verify_input, expected in reference
        if not verify_input.continues
        for is_gone in [verify_input.file in more or bool(verify_input.sequence)]
    ]
    return tuple(samples)


def _sample_report(bundle: Bundle, task: Task, verify_input: VerifyInput, expected: Answer) -> SampleReport:
    placement = verify_input.placement
    depth = next((each for each in expected.prediction if isinstance(each, DepthMap)), None)
    return SampleReport(
        title=verify_input.sequence or verify_input.title,
        file=None if verify_input.file is None else _path_from_bundle(verify_input.file, bundle.directory),
        width=placement.source_width if placement else 0,
        height=placement.source_height if placement else 0,
        detections=tuple(expected.detections),
        classes=tuple(each for each in expected.prediction if isinstance(each, ClassScore))[:TOP_CLASSES],
        depth=None if depth is None else (depth.minimum, depth.maximum),
        map=prediction_image_url(task, expected.prediction, file=verify_input.file),
        pointed=None if verify_input.points is None else _pointed_at(verify_input.points),
    )


def _pointed_at(prompt: PointPrompt) -> PointedAt:
    clicks, background = (
        tuple(point for point, label in zip(prompt.points, prompt.labels, strict=True) if label == wanted)
        for wanted in (FOREGROUND, BACKGROUND)
    )
    return PointedAt(clicks, background, prompt.box)


def _path_from_bundle(file: Path, directory: Path) -> str:
    """Return a bundle's own file relative to the bundle, which may move; other files as absolute paths."""
    return (file.relative_to(directory) if file.is_relative_to(directory) else file.resolve()).as_posix()
