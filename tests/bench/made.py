"""Synthetic measurements."""

from __future__ import annotations

from typing import Any

from webbuild.bench.report import (
    BackendBench,
    BenchReport,
    Environment,
    LongTasks,
    MemoryGrowth,
    PageLoad,
    PeakMemory,
    PerRun,
    Profile,
    RunTimes,
)
from webbuild.verify.report import Problem

PROBLEM = Problem(code="console-error", where="webgpu", message="boom", fix="look")


def visit(**changes: Any) -> PageLoad:
    made: dict[str, Any] = {
        "bytes": 8_400_000,
        "imported": 5.0,
        "session": 405.0,
        "loaded": 905.0,
        "first_run": 95.0,
        "first_result": 1000.0,
        "stages": {"engine": 200.0, "session": 100.0},
    }
    return PageLoad(**{**made, **changes})


FRAMES = RunTimes(
    runs=(30.0, 10.0, 20.0, 40.0),
    stages={"preprocess": (1.0, 2.0, 3.0, 4.0), "inference": (29.0, 8.0, 17.0, 36.0)},
    fallbacks=0,
)
EXAMINED = Profile(
    nodes=143,
    cpu_nodes=2,
    per_run=PerRun(dispatches=131, submits=9, uploads=2.5, uploaded_bytes=307_200, readbacks=1, read_bytes=14_400),
    growth=MemoryGrowth(runs=30, wasm=0, gpu=0, heap=2048),
    long_tasks=LongTasks(longest=62.0, tasks=1, blocking_time=12.0),
)

PEAK = PeakMemory(page=42_000_000, wasm=16_777_216, gpu=9_100_000, weights=3_300_000)


def backend(**changes: Any) -> BackendBench:
    made: dict[str, Any] = {
        "endpoint": "",
        "browser": "Chromium 156",
        "adapter": "google swiftshader",
        "backend": "webgpu",
        "engine_build": "jspi",
        "threads": 1,
        "first_load": visit(),
        "second_load": visit(bytes=4000, first_result=800.0),
        "run_times": FRAMES,
        "profile": EXAMINED,
        "peak_memory": PEAK,
        "problems": (),
    }
    return BackendBench(**{**made, **changes})


def report(*backends: BackendBench, **changes: Any) -> BenchReport:
    made: dict[str, Any] = {
        "bundle": "pose",
        "title": "Pose",
        "environment": Environment(webbuild="1", engine="onnxruntime-web 1.30.0", platform="Linux"),
        "samples": ("street",),
        "backends": backends,
    }
    return BenchReport(**{**made, **changes})
