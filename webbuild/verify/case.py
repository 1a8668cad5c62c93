"""One input on one backend: the tensor it becomes, the raw outputs, and what a visitor would get."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.head import why_repeat
from webbuild.manifest import (
    ClassifyTask,
    DepthTask,
    ImageInput,
    PanopticTask,
    PhrasesTask,
    RowTask,
    StackInput,
    Task,
)
from webbuild.tasks.objects import of_detections
from webbuild.tasks.region_shapes import shapes
from webbuild.verify.classes import SHOWN, compare_decoded
from webbuild.verify.compare import Comparison, Subject, compare
from webbuild.verify.depth_picture import depth_picture
from webbuild.verify.depths import compare_decoded_depth
from webbuild.verify.detections import Verdicts, compare_detections, thresholds, tolerance
from webbuild.verify.inputs import Given, image_input
from webbuild.verify.opened import Bundle
from webbuild.verify.page_runner import PageRunner
from webbuild.verify.phrased import compare_phrases, trial
from webbuild.verify.reference import Expected, compare_raw
from webbuild.verify.region_maps import compare_regions
from webbuild.verify.report import Case
from webbuild.verify.wire import Answer

INPUT_TOLERANCE = 1e-6
"""How far the browser's tensor may lie from Python's, relative to its largest magnitude: rounding, no more.
Pillow and Chromium decode JPEG, PNG and WebP to the same bits. Only where a picture is translucent may they be one
of 256 levels apart: a canvas keeps colours multiplied by their alpha, in 8 bits."""
GPU_TOLERANCE = 1e-3
"""The same where a GPU resamples, in float32, as a part of one of 256 levels: normalising takes away from a number one
almost as large, so that what is left may be far smaller than what was rounded."""


def judge(bundle: Bundle, runner: PageRunner, given: Given, expected: Expected) -> tuple[Case, list[float]]:
    """Run one input all ways and judge them; also return the milliseconds of its runs.

    Raises:
        PageError: the runtime refused or failed.
    """
    outputs, took = runner.timed(given.feeds)
    graph = bundle.graph(runner.name)
    allowed = tolerance(graph)
    repeated = "" if graph is None else why_repeat(graph, outputs)
    comparisons: list[Comparison] = []
    if not repeated:
        comparisons += compare_raw(bundle, runner.name, given.title, "raw", expected.outputs, outputs)
    if given.file is None:
        return Case(sample=given.title, comparisons=tuple(comparisons), inference_ms=took), [took]
    comparisons.append(_compare_input(bundle, runner, given))
    task = bundle.manifest.task
    options: dict[str, float | str | list[float]] = {**bundle.manifest.trial, **given.options}
    options |= _mode(task)
    answer = runner.picture(given.files, options)
    about, inference = Subject(runner.name, given.title, "decoded", ""), answer.timings.inference
    if isinstance(task, PhrasesTask) and given.placement is not None:
        pixel = max(1.0, given.placement.source_width / given.placement.width)
        verdicts = compare_phrases(
            about, expected.detections, answer.found, trial(bundle.manifest), pixel=pixel, tolerance=allowed
        )
        return _of_detections(given, answer, verdicts, comparisons), [took, inference]
    if isinstance(task, PanopticTask) and expected.regions is not None:
        regions = runner.regions(answer)
        told, match = compare_regions(task, about, expected.regions, regions, allowed)
        return Case(
            sample=given.title,
            comparisons=(*comparisons, *told),
            detections=() if regions is None else shapes(regions),
            min_mask_iou=match.least,
            excused=match.excused,
            inference_ms=inference,
        ), [took, inference]
    if isinstance(task, DepthTask) and expected.depth is not None:
        got = runner.depth(answer)
        return Case(
            sample=given.title,
            comparisons=(*comparisons, *compare_decoded_depth(about, expected.depth, got, tolerance=allowed)),
            inference_ms=inference,
            map="" if got is None else depth_picture(task, got, expected.depth),
        ), [took, inference]
    if not isinstance(task, RowTask) or given.placement is None:
        if isinstance(task, ClassifyTask):
            comparisons += compare_decoded(task, about, expected.classes, answer.classes, tolerance=allowed)
        else:
            tensors = runner.tensors(answer)
            comparisons += compare_raw(bundle, runner.name, given.title, "decoded", expected.outputs, tensors)
        best = answer.classes[:SHOWN]
        case = Case(sample=given.title, comparisons=tuple(comparisons), classes=best, inference_ms=inference)
        return case, [took, inference]
    verdicts = compare_detections(
        task,
        about,
        of_detections(task, expected.detections),
        of_detections(task, answer.found),
        thresholds(bundle.manifest),
        pixel=max(1.0, given.placement.source_width / given.placement.width),
        tolerance=allowed,
    )
    case = _of_detections(given, answer, verdicts, comparisons, repeated)
    return case, [took] if repeated else [took, inference]


def _of_detections(
    given: Given, answer: Answer, verdicts: Verdicts, comparisons: Sequence[Comparison], repeated: str = ""
) -> Case:
    return Case(
        sample=given.title,
        comparisons=(*comparisons, *verdicts.comparisons),
        detections=answer.found,
        min_oks=verdicts.min_oks,
        min_mask_iou=verdicts.min_mask_iou,
        excused=verdicts.excused,
        inference_ms=answer.timings.inference,
        repeated=answer.repeated.why if answer.repeated else repeated,
    )


def _mode(task: Task) -> dict[str, str]:
    return {"mode": task.mode} if isinstance(task, PanopticTask) else {}


def _compare_input(bundle: Bundle, runner: PageRunner, given: Given) -> Comparison:
    spec = image_input(bundle.manifest)
    assert spec is not None
    want = given.feeds[spec.name]
    allowed = input_tolerance(spec, want, runner.name, translucent=given.translucent)
    subject = Subject(runner.name, given.title, "input", spec.name)
    return compare(subject, want, runner.preprocess(given.files), tolerance=allowed)


def input_tolerance(
    spec: ImageInput | StackInput, want: NDArray[Any], backend: str, *, translucent: bool = False
) -> float:
    """Return how far a picture's tensor may lie from `want`, which Python made of it."""
    level = spec.scale / min(spec.std)
    if translucent:
        return level
    rounding = INPUT_TOLERANCE * float(np.abs(want).max(initial=0.0))
    return max(rounding, GPU_TOLERANCE * level) if backend.startswith("webgpu") else rounding
