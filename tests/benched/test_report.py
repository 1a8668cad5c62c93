"""When a bench has failed, and how its numbers come about."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.benched.made import FRAMES, PROBLEM, backend, report
from tests.verify.bundle_made import rewrite, write_bundle
from webbuild.bench.backend import only_repeated
from webbuild.bench.bench import chosen
from webbuild.bench.examined import blocking, cpu_nodes, per_frame
from webbuild.bench.report import BackendBench, Blocking, Frames, exit_code
from webbuild.bench.visitor import Counted, Sent, Timed
from webbuild.bench.visits import frames
from webbuild.browser.tracing import Task
from webbuild.errors import CLEAN, FAILED, WebbuildError
from webbuild.manifest import Withheld
from webbuild.verify.page_calls import ROOM
from webbuild.verify.wire import Node, Placed


def test_what_was_measured_whole_is_clean() -> None:
    assert exit_code(report(backend(), backend(backend="wasm"))) == CLEAN


NOTHING = Frames(runs=(), stages={}, repeated=0)


@pytest.mark.parametrize(
    "short",
    [
        backend(first=None),
        backend(second=None),
        backend(frames=None),
        backend(frames=NOTHING),
        backend(examined=None),
        backend(problems=(PROBLEM,)),
    ],
    ids=["no first visit", "no second", "no frames", "no runs", "not examined", "a problem"],
)
def test_what_lacks_anything_has_failed(short: BackendBench) -> None:
    assert exit_code(report(backend(backend="wasm"), short)) == FAILED


def test_nothing_measured_has_failed() -> None:
    assert exit_code(report()) == FAILED


def test_percentiles_are_of_the_runs_and_of_each_stage() -> None:
    assert (FRAMES.p50, FRAMES.p95) == (20, 40)
    assert (FRAMES.stage("preprocess"), FRAMES.stage("inference")) == (2, 17)


def test_stages_are_those_that_the_runtime_tells() -> None:
    runs = [Timed(5, "webgpu", {"upload": 1, "inference": 3}), Timed(9, "wasm", {"inference": 8, "mend": 0.5})]
    found = frames(runs, "webgpu")
    assert found.runs == (5, 9)
    assert found.stages == {"upload": (1, 0), "inference": (3, 8), "mend": (0, 0.5)}
    assert found.repeated == 1


def test_a_backend_whose_every_run_another_answered_was_not_measured() -> None:
    every = Frames(runs=(1.0, 2.0), stages={}, repeated=2)
    (problem,) = only_repeated("webgpu", every)
    assert (problem.code, problem.where) == ("only-repeated", "webgpu")
    assert not only_repeated("webgpu", Frames(runs=(1.0, 2.0), stages={}, repeated=1))
    assert not only_repeated("webgpu", None)


def test_only_the_bundles_own_bytes_count() -> None:
    sent = Sent()
    for path, size in (("/pose.js", 100), (f"{ROOM}bench.js", 7), ("/model/a.data", 2000), (f"{ROOM}picture-0.jpg", 9)):
        sent.heard(path, size)
    assert sent.bytes == 2100


def test_what_a_run_asks_of_the_gpu_is_the_difference_by_run() -> None:
    before = Counted(100, 10, 5, 5000, 3, 300, 40, 4000, 1 << 20)
    after = Counted(220, 18, 9, 9000, 7, 700, 40, 4000, 1 << 20)
    found = per_frame(before, after, 4)
    assert (found.dispatches, found.submits, found.uploads, found.uploaded_bytes) == (30, 2, 1, 1000)
    assert (found.readbacks, found.read_bytes) == (1, 100)


def test_nodes_that_stay_on_the_cpu_are_counted_and_silence_is_not_none() -> None:
    gpu = Placed("WebGpuExecutionProvider", (), 140)
    cpu = Placed("CPUExecutionProvider", (Node("Loop", "a"), Node("NonZero", "b")), 2)
    assert cpu_nodes("webgpu", [gpu, cpu]) == 2
    assert cpu_nodes("webgpu", [gpu]) == 0
    assert cpu_nodes("wasm", [cpu]) == 0
    assert cpu_nodes("webgpu", []) is None


def task(ms: float) -> Task:
    return Task({"name": "RunTask", "ts": 0, "dur": 9_999_999, "tdur": ms * 1000}, [])


def test_blocking_is_what_tasks_take_beyond_fifty_milliseconds() -> None:
    assert blocking([task(120), task(51), task(50), task(3)]) == Blocking(longest=120, tasks=2, beyond=71)
    assert blocking([]) == Blocking(longest=0, tasks=0, beyond=0)


def test_a_backend_that_the_bundle_withholds_is_left_out_or_refused(tmp_path: Path) -> None:
    plain = write_bundle(tmp_path / "double")
    (graph,) = plain.manifest.graphs
    both = rewrite(plain.directory, plain.manifest, graphs=[graph, replace(graph, target="webgpu")])
    assert chosen(both, []) == ["webgpu", "wasm"]
    assert chosen(both, ["wasm", "webgpu"]) == ["webgpu", "wasm"]
    assert chosen(both, ["wasm"]) == ["wasm"]
    why = Withheld(build="webgpu", code="throws", why="it throws")
    unfit = rewrite(plain.directory, both.manifest, withheld=[why])
    for bundle in (unfit, plain):
        assert chosen(bundle, []) == ["wasm"]
        with pytest.raises(WebbuildError, match="does not run on webgpu") as caught:
            chosen(bundle, ["webgpu"])
        assert (caught.value.code, caught.value.exit_code) == ("withheld", 2)
