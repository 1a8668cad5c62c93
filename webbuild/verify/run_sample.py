"""One input on one backend: the preprocessed tensor, the raw outputs, and the decoded result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from webbuild.compare.arrays import compare_arrays
from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.equivalence.answer import Answer
from webbuild.equivalence.compare_answers import compare_predictions, compare_tensors
from webbuild.equivalence.policy import Policy
from webbuild.manifest.detection_head_status import fallback_reason
from webbuild.manifest.manifest import PictureInput, StackInput, Task
from webbuild.manifest.states import state_inputs
from webbuild.preprocess.mask import with_hole
from webbuild.reporting.prediction_image import prediction_image_url
from webbuild.tasks.decoding.class_scores import ClassScore
from webbuild.tasks.metrics.compare_classes import TOP_CLASSES
from webbuild.tasks.registry import kind_of
from webbuild.tasks.tensor import result_tensors
from webbuild.verify.bundle import Bundle
from webbuild.verify.inputs import VerifyInput, picture_input
from webbuild.verify.page_messages import RunResult, RuntimeFailure
from webbuild.verify.page_rpc import PageError
from webbuild.verify.page_runner import PageRunner, Track
from webbuild.verify.pipeline_graphs import pipeline_policy
from webbuild.verify.pipeline_page_runner import PipelinePageRunner
from webbuild.verify.reference import policy_of
from webbuild.verify.report import SampleResult

_INPUT_TOLERANCE = 1e-6
"""Tolerance of the browser's input tensor against Python's, relative to its largest magnitude: only rounding.
Pillow and the browsers decode JPEG, PNG and WebP to the same bits. Only translucent pictures may differ, by
`TRANSLUCENT_LEVELS` of 256."""
TRANSLUCENT_LEVELS = {"Chromium": 1, "Firefox": 2, "WebKitGTK": 2, "Safari": 2}
"""Levels by browser. A canvas stores colours premultiplied by alpha, in 8 bits. Chromium rounds them; the others
truncate, which loses up to twice as much. At an alpha of 127, Chromium's colours are off by 1 level, others by 2."""
_GPU_TOLERANCE = 1e-3
"""The same if a GPU resamples in float32, as a fraction of one of 256 levels: normalization subtracts nearly equal
numbers, so the difference may be much smaller than the rounded values."""


def run_sample(
    bundle: Bundle, runner: PageRunner, verify_input: VerifyInput, expected: Answer, browser: str = "Chromium"
) -> tuple[SampleResult, list[float]]:
    """Run one input in all ways in a browser, and compare; also return the milliseconds of its runs.

    A step of a sequence only runs as tensors; its picture belongs to another sequence, see `run_frame`.

    Raises:
        PageError: the runtime failed.
    """
    states = {spec.name for spec in state_inputs(bundle.manifest.inputs)}
    if states and not verify_input.continues:
        runner.reset()
    if (
        isinstance(runner, PipelinePageRunner)
        and verify_input.file is not None
        and (bundle.looks_at_crops or verify_input.points)
    ):
        result, inference = _run_picture(bundle, runner, verify_input, expected)
        return result, [inference]
    if isinstance(runner, PipelinePageRunner):
        outputs, took = runner.run_pipeline(verify_input.feeds, verify_input.files)
        compared = compare_tensors(runner.name, verify_input.title, "raw", expected, outputs, _policy(bundle, runner))
        return SampleResult(sample=verify_input.title, comparisons=tuple(compared), inference_ms=took), [took]
    outputs, took = runner.run_timed({name: array for name, array in verify_input.feeds.items() if name not in states})
    if states and verify_input.ends:
        outputs |= _states_after(bundle, runner)
    graph, policy = bundle.graph(runner.name), policy_of(bundle, runner.name)
    repeated = "" if graph is None else fallback_reason(graph, outputs)
    comparisons = [] if repeated else compare_tensors(runner.name, verify_input.title, "raw", expected, outputs, policy)
    if verify_input.text:
        vector = Answer(bundle.manifest.task, {}, expected.context, decoded=[runner.embed_text(verify_input.text)])
        comparisons += compare_predictions(runner.name, verify_input.title, expected, vector, policy)
    if verify_input.file is None or verify_input.sequence:
        return SampleResult(sample=verify_input.title, comparisons=tuple(comparisons), inference_ms=took), [took]
    comparisons.append(_compare_preprocessed(bundle, runner, verify_input, browser))
    if bundle.stage:  # visitors only run all stages together
        return SampleResult(sample=verify_input.title, comparisons=tuple(comparisons), inference_ms=took), [took]
    if states:
        runner.reset()
    result, inference = _run_picture(bundle, runner, verify_input, expected, repeated)
    comparisons += result.comparisons
    if verify_input.tiled is not None and bundle.batch == 1:
        comparisons += _run_in_tiles(bundle, runner, verify_input, expected)
    result = msgspec.structs.replace(result, comparisons=tuple(comparisons))
    return result, [took] if repeated else [took, inference]


def _policy(bundle: Bundle, runner: PageRunner) -> Policy:
    """Return the policy of a graph; for all stages together, the widest policy of their graphs."""
    return pipeline_policy(bundle, runner.name) if bundle.all_stages else policy_of(bundle, runner.name)


def _run_in_tiles(
    bundle: Bundle, runner: PageRunner, verify_input: VerifyInput, expected: Answer
) -> tuple[Comparison, ...]:
    """Run a picture in tiles, as a visitor does, and compare it with the reference's prediction in tiles."""
    tiled_input = msgspec.structs.replace(verify_input, title=f"{verify_input.title}, in tiles", untiled=False)
    expected_tiled = replace(expected, decoded=verify_input.tiled)
    return _run_picture(bundle, runner, tiled_input, expected_tiled)[0].comparisons


def run_frame(bundle: Bundle, runner: PageRunner, verify_input: VerifyInput, expected: Answer) -> SampleResult:
    """Run the picture of a step as a visitor's frame, and compare the result; after the last step, also the states.

    Raises:
        PageError: the runtime failed.
    """
    states = bool(state_inputs(bundle.manifest.inputs))
    if states and not verify_input.continues:
        runner.reset()
    result, _ = _run_picture(bundle, runner, verify_input, expected)
    if not states or not verify_input.ends:
        return result
    after = _states_after(bundle, runner)
    expected_states = replace(
        expected, outputs={name: expected.outputs[name] for name in after if name in expected.outputs}
    )
    compared = compare_tensors(
        runner.name, verify_input.title, "raw", expected_states, after, policy_of(bundle, runner.name)
    )
    return msgspec.structs.replace(result, comparisons=(*result.comparisons, *compared))


def _run_picture(
    bundle: Bundle, runner: PageRunner, verify_input: VerifyInput, expected: Answer, repeated: str = ""
) -> tuple[SampleResult, float]:
    """Run a picture as a visitor does, and compare the result; also return the milliseconds of its inference."""
    stages = bundle.all_stages or (bundle,)
    thresholds = {name: value for each in stages for name, value in each.manifest.evaluation_thresholds.items()}
    options: dict[str, float | str | list[float]] = {**thresholds, **verify_input.options}
    if expected.context.mode is not None:
        options["mode"] = expected.context.mode
    answer = _answer(runner, verify_input, options)
    kind, policy, about = kind_of(expected.task), _policy(bundle, runner), (runner.name, verify_input.title)
    actual = replace(expected, decoded=_read_prediction(expected.task, answer))
    comparisons = compare_predictions(*about, expected, actual, policy)
    if not kind.needed_outputs(expected.task):
        expected_outputs = replace(
            expected, outputs={spec.name: expected.outputs[spec.name] for spec in bundle.manifest.outputs}
        )
        comparisons = compare_tensors(*about, "decoded", expected_outputs, result_tensors(answer.fields), policy)
    inference = answer.timings.inference
    similar = {comparison.subject.name: comparison.similarity for comparison in comparisons}
    result = SampleResult(
        sample=verify_input.title,
        comparisons=tuple(comparisons),
        detections=tuple(actual.detections),
        tracks=answer.tracks,
        classes=tuple(each for each in actual.prediction if isinstance(each, ClassScore))[:TOP_CLASSES],
        min_oks=similar.get("keypoint"),
        min_mask_iou=similar.get("mask"),
        near_threshold=sum(comparison.near_threshold for comparison in comparisons) if kind.has_detections else 0,
        inference_ms=inference,
        fallback_reason=answer.fallback.reason if answer.fallback else repeated,
        map="" if verify_input.sequence else _prediction_url(verify_input, expected, actual),
    )
    return result, inference


def _answer(
    runner: PageRunner, verify_input: VerifyInput, options: Mapping[str, float | str | list[float]]
) -> RunResult:
    if isinstance(runner, PipelinePageRunner) and verify_input.points is not None:
        return runner.ask(verify_input.files, verify_input.points)
    track: Track | None = None if not verify_input.tracked else "on" if verify_input.continues else "begin"
    return runner.predict(verify_input.files, options, second=verify_input.second, track=track)


def _prediction_url(verify_input: VerifyInput, expected: Answer, actual: Answer) -> str:
    return prediction_image_url(expected.task, actual.prediction, expected.prediction, verify_input.file)


def _states_after(bundle: Bundle, runner: PageRunner) -> dict[str, NDArray[Any]]:
    """Return the states after the last run, by output name."""
    states = runner.states()
    return {spec.output: states[spec.name] for spec in state_inputs(bundle.manifest.inputs)}


def _read_prediction(task: Task, answer: RunResult) -> Sequence[Any]:
    """Return the runtime's decoded prediction.

    Raises:
        PageError: `wrong-result` if it does not have the task's form.
    """
    try:
        return kind_of(task).read_result(answer.fields)
    except (KeyError, ValueError) as error:
        raise PageError(RuntimeFailure("wrong-result", f"the runtime's result cannot be read: {error}", "")) from error


def _compare_preprocessed(bundle: Bundle, runner: PageRunner, verify_input: VerifyInput, browser: str) -> Comparison:
    spec = picture_input(bundle.manifest)
    assert spec is not None
    want = verify_input.feeds[spec.name]
    levels = TRANSLUCENT_LEVELS[browser] if verify_input.translucent else 0
    allowed = input_tolerance(spec, want, runner.name, levels)
    subject = ComparedOutput(runner.name, verify_input.title, "input", spec.name)
    got = runner.preprocess(verify_input.files)
    if verify_input.placement is not None:  # the hole is cleared in both
        got = with_hole({spec.name: got}, bundle.manifest.inputs, verify_input.placement)[spec.name]
    return compare_arrays(subject, want, got, tolerance=allowed)


def input_tolerance(spec: PictureInput | StackInput, want: NDArray[Any], backend: str, levels: int = 0) -> float:
    """Return the tolerance of a picture's tensor against Python's tensor `want`: `levels` of 256, if any."""
    level = spec.scale / min(spec.std)
    if levels:
        return levels * level
    rounding = _INPUT_TOLERANCE * float(np.abs(want).max(initial=0.0))
    return max(rounding, _GPU_TOLERANCE * level) if backend.startswith("webgpu") else rounding
