"""Synthetic people, bundles and reports for the verification tests."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.compare.comparison import ComparedOutput, Comparison, Verdict
from webbuild.manifest.manifest import Keypoint, PoseTask
from webbuild.tasks.decoding.detection import Box, Detection, KeypointPosition
from webbuild.verify.report import (
    BackendRun,
    Problem,
    SampleReport,
    SampleResult,
    Timings,
    VerifyEnvironment,
    VerifyReport,
)

TASK = PoseTask(
    output="output0",
    rows=4,
    classes=["person"],
    keypoints=[Keypoint(name="nose", side="middle"), Keypoint(name="left hand", side="left")],
    keypoint_size=3,
    skeleton=[[0, 1]],
)


def rows(*people: tuple[float, float, float]) -> NDArray[Any]:
    """Return rows of people of 40 x 80 pixels, each given as (x, y, score), padded with zeros to four."""
    made = np.zeros((4, 12), np.float32)
    for row, (x, y, score) in zip(made, people, strict=False):
        row[:] = [x, y, x + 40, y + 80, score, 0, x + 20, y + 10, 0.9, x + 5, y + 40, 0.8]
    return made


def person(label: str = "person") -> Detection:
    """Return one person."""
    return Detection(
        Box(1, 2, 30, 40), 0.9, 0, label, (KeypointPosition("nose", 5, 6, 0.9), KeypointPosition("hand", 7, 8, 0.9))
    )


def comparison(verdict: Verdict = "OK", output: str = "box", **fields: Any) -> Comparison:
    """Return a comparison on WebGPU."""
    subject = fields.pop("subject", ComparedOutput("webgpu", "street", "decoded", output, "px"))
    return Comparison(subject=subject, verdict=verdict, tolerance=0.5, **{"max_abs": 0.01, "signal": 2.0, **fields})


def backend(*comparisons: Comparison, problems: tuple[Problem, ...] = (), **fields: Any) -> BackendRun:
    """Return a run on WebGPU over one sample."""
    case = SampleResult(sample="street", comparisons=comparisons, detections=(person(),))
    made: dict[str, Any] = {
        "backend": "webgpu",
        "reason": "it was asked for",
        "engine_build": "jspi",
        "threads": 1,
        "adapter": "google swiftshader",
        "placements": (),
        "timings": Timings(load=10, session=5, first_run=4, steady_run=2, runs=3),
        "results": (case,),
        "warnings": (),
        "problems": problems,
    }
    return BackendRun(**{**made, **fields})


def report(*backends: BackendRun, **fields: Any) -> VerifyReport:
    """Return a report on one sample with one person."""
    made: dict[str, Any] = {
        "bundle": "yolo-pose",
        "title": "YOLO pose",
        "source": "yolo-pose.onnx",
        "reference": "native ONNX Runtime 1.31.1 on wasm.onnx",
        "task": TASK,
        "environment": VerifyEnvironment(
            webbuild="0", browser="Chromium 1", browser_path="/chromium", engine="ort 1", onnxruntime="1", platform="x"
        ),
        "samples": (SampleReport(title="street", file=None, width=64, height=64, detections=(person(),)),),
        "checks": (),
        "backends": backends,
        "problems": (),
    }
    return VerifyReport(**{**made, **fields})


PROBLEM = Problem(code="console-error", where="webgpu", message="boom", fix="look")
