"""When a bench fails, and how its numbers are computed."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from tests.bench.made import FRAMES, PROBLEM, backend, report
from tests.manifests import HASH, stages_manifest
from tests.verify.bundle_made import rewrite, write_bundle
from webbuild.bench.backend import fallback_only_problems
from webbuild.bench.bench import select_backends
from webbuild.bench.memory_visit import LoadedGraph, loaded_graphs, weight_bytes
from webbuild.bench.page_driver import LoadTiming, RunTiming, SentFiles
from webbuild.bench.page_loads import collect_run_times
from webbuild.bench.profiling_visit import average_per_run, count_cpu_nodes, sum_long_tasks
from webbuild.bench.report import BackendBench, LongTasks, RunTimes, exit_code
from webbuild.browser.tracing import MainThreadTask
from webbuild.errors import CLEAN, FAILED, WebbuildError
from webbuild.manifest.manifest import DisabledTarget, File
from webbuild.verify.gpu_counters import GpuCounters
from webbuild.verify.page_messages import ExecutedNode, ProviderNodes
from webbuild.verify.page_rpc import URL_PREFIX


def test_what_was_measured_whole_is_clean() -> None:
    assert exit_code(report(backend(), backend(backend="wasm"))) == CLEAN


NOTHING = RunTimes(runs=(), stages={}, fallbacks=0)


@pytest.mark.parametrize(
    "short",
    [
        backend(first_load=None),
        backend(second_load=None),
        backend(run_times=None),
        backend(run_times=NOTHING),
        backend(profile=None),
        backend(peak_memory=None),
        backend(problems=(PROBLEM,)),
    ],
    ids=["no first visit", "no second", "no frames", "no runs", "not examined", "no peak", "a problem"],
)
def test_what_lacks_anything_has_failed(short: BackendBench) -> None:
    assert exit_code(report(backend(backend="wasm"), short)) == FAILED


def test_nothing_measured_has_failed() -> None:
    assert exit_code(report()) == FAILED


def test_percentiles_are_of_the_runs_and_of_each_stage() -> None:
    assert (FRAMES.p50, FRAMES.p95) == (20, 40)
    assert (FRAMES.stage("preprocess"), FRAMES.stage("inference")) == (2, 17)


def test_stages_are_those_that_the_runtime_tells() -> None:
    runs = [RunTiming(5, "webgpu", {"upload": 1, "inference": 3}), RunTiming(9, "wasm", {"inference": 8, "fix": 0.5})]
    found = collect_run_times(runs, "webgpu")
    assert found.runs == (5, 9)
    assert found.stages == {"upload": (1, 0), "inference": (3, 8), "fix": (0, 0.5)}
    assert found.fallbacks == 1


def test_a_backend_whose_every_run_another_answered_was_not_measured() -> None:
    every = RunTimes(runs=(1.0, 2.0), stages={}, fallbacks=2)
    (problem,) = fallback_only_problems("webgpu", every)
    assert (problem.code, problem.where) == ("only-fallback", "webgpu")
    assert not fallback_only_problems("webgpu", RunTimes(runs=(1.0, 2.0), stages={}, fallbacks=1))
    assert not fallback_only_problems("webgpu", None)


def test_only_the_bundles_own_bytes_count() -> None:
    sent = SentFiles()
    for path, size in (
        ("/pose.js", 100),
        (f"{URL_PREFIX}bench.js", 7),
        ("/model/a.data", 2000),
        (f"{URL_PREFIX}picture-0.jpg", 9),
    ):
        sent.record(path, size)
    assert sent.bytes == 2100


def test_what_a_run_asks_of_the_gpu_is_the_difference_by_run() -> None:
    before = GpuCounters(100, 10, 5, 5000, 3, 300, 40, 4000, 5000, 1 << 20)
    after = GpuCounters(220, 18, 9, 9000, 7, 700, 40, 4000, 5000, 1 << 20)
    found = average_per_run(before, after, 4)
    assert (found.dispatches, found.submits, found.uploads, found.uploaded_bytes) == (30, 2, 1, 1000)
    assert (found.readbacks, found.read_bytes) == (1, 100)


def test_nodes_that_stay_on_the_cpu_are_counted_and_silence_is_not_none() -> None:
    gpu = ProviderNodes("WebGpuExecutionProvider", (), 140)
    cpu = ProviderNodes("CPUExecutionProvider", (ExecutedNode("Loop", "a"), ExecutedNode("NonZero", "b")), 2)
    assert count_cpu_nodes("webgpu", [gpu, cpu]) == 2
    assert count_cpu_nodes("webgpu", [gpu]) == 0
    assert count_cpu_nodes("wasm", [cpu]) == 0
    assert count_cpu_nodes("webgpu", []) is None


def task(ms: float) -> MainThreadTask:
    return MainThreadTask({"name": "RunTask", "ts": 0, "dur": 9_999_999, "tdur": ms * 1000}, [])


def test_blocking_is_what_tasks_take_beyond_fifty_milliseconds() -> None:
    assert sum_long_tasks([task(120), task(51), task(50), task(3)]) == LongTasks(longest=120, tasks=2, blocking_time=71)
    assert sum_long_tasks([]) == LongTasks(longest=0, tasks=0, blocking_time=0)


def test_a_target_that_the_bundle_disables_is_skipped_or_refused(tmp_path: Path) -> None:
    plain = write_bundle(tmp_path / "double")
    (graph,) = plain.manifest.graphs
    both = rewrite(plain.directory, plain.manifest, graphs=[graph, replace(graph, target="webgpu")])
    assert select_backends(both, []) == ["webgpu", "wasm"]
    assert select_backends(both, ["wasm", "webgpu"]) == ["webgpu", "wasm"]
    assert select_backends(both, ["wasm"]) == ["wasm"]
    reason = DisabledTarget(target="webgpu", code="throws", reason="it throws")
    unfit = rewrite(plain.directory, both.manifest, disabled_targets=[reason])
    for bundle in (unfit, plain):
        assert select_backends(bundle, []) == ["wasm"]
        with pytest.raises(WebbuildError, match="does not run on webgpu") as caught:
            select_backends(bundle, ["webgpu"])
        assert (caught.value.code, caught.value.exit_code) == ("disabled-target", 2)


def test_the_weights_are_those_of_the_graphs_that_were_loaded_each_file_once() -> None:
    files = [
        File(path=path, size=1, sha256=HASH, uncompressed_size=size)
        for path, size in [
            ("model/weights-0.bin", 1000),
            ("model/other.bin", 30),
            ("model/half.bin", 500),
            ("model/wasm.bin", 4),
        ]
    ]
    staged = replace(stages_manifest(), files=files)
    assert staged.stages is not msgspec.UNSET
    graph = staged.graphs[0]
    first, *others = staged.stages
    more = replace(graph, weights=[*graph.weights, "model/other.bin"])
    half = replace(graph, weights=["model/half.bin"], precision="mixed")
    on_wasm = replace(graph, target="wasm", weights=["model/wasm.bin"])
    staged = replace(staged, stages=[replace(first, graphs=[half, more, on_wasm]), *others])
    fp32, mixed, wasm = (LoadedGraph(*each) for each in (("webgpu", "fp32"), ("webgpu", "mixed"), ("wasm", "fp32")))
    assert weight_bytes(staged, [fp32, fp32, fp32]) == 1030
    assert weight_bytes(staged, [fp32, mixed, fp32]) == 1500
    assert weight_bytes(staged, [fp32, wasm, fp32]) == 1004


def test_what_was_loaded_is_what_the_page_says_of_each_stage() -> None:
    said = {
        "engine": {"name": "ort", "version": "1", "build": "jspi", "threads": 1},
        "timings": {"engine": 1, "weights": 1, "session": 1, "warmup": 1, "total": 1},
        "precision": {"used": "mixed", "reason": ""},
        "adapter": None,
        "placement": None,
    }
    stage = {"name": "decoder", "backend": "wasm", "precision": {"used": "fp32", "reason": ""}}

    def loaded(**more: object) -> list[LoadedGraph]:
        timing = {"imported": 1, "session": 1, "loaded": 1, "backend": "webgpu", "reason": "", "warnings": []}
        return loaded_graphs(msgspec.convert({**timing, "info": {**said, **more}}, LoadTiming))

    assert loaded() == [LoadedGraph("webgpu", "mixed")]
    assert loaded(stages=[{**stage, "backend": "webgpu"}, stage]) == [
        LoadedGraph("webgpu", "fp32"),
        LoadedGraph("wasm", "fp32"),
    ]
