"""Where nodes run: on WebGPU all of them, and unknown is not all."""

from __future__ import annotations

import pytest

from webbuild.verify.placement import misplaced, summarise
from webbuild.verify.wire import Node, Placed

GPU = Placed("WebGpuExecutionProvider", (Node("Conv", "/conv"), Node("Conv", "/conv_1"), Node("Mul", "/mul")))
CPU = Placed("CPUExecutionProvider", (Node("NonMaxSuppression", "/nms"),))
UNNAMED = Placed("WebGpuExecutionProvider", (), count=371)


def test_all_on_the_gpu() -> None:
    (placement,) = summarise("webgpu", [GPU, Placed("CPUExecutionProvider", ())])
    assert (placement.count, placement.operators, placement.nodes) == (3, {"Conv": 2, "Mul": 1}, ())
    assert not list(misplaced("webgpu", [placement]))


def test_nodes_that_the_engine_only_counts() -> None:
    assert [p.count for p in summarise("webgpu", [UNNAMED])] == [371]
    (problem,) = misplaced("webgpu", summarise("webgpu", [UNNAMED, Placed("CPUExecutionProvider", (), count=2)]))
    assert problem.message == "2 node(s) run on CPUExecutionProvider: unnamed"


def test_a_node_on_the_cpu_is_named() -> None:
    placements = summarise("webgpu", [CPU, GPU])
    assert [p.provider for p in placements] == ["WebGpuExecutionProvider", "CPUExecutionProvider"]
    (problem,) = misplaced("webgpu", placements)
    assert (problem.code, "NonMaxSuppression /nms" in problem.message) == ("off-gpu", True)


def test_a_node_that_is_forced_to_the_cpu_belongs_there_and_no_other() -> None:
    placements = summarise("webgpu", [GPU, Placed("CPUExecutionProvider", (*CPU.nodes, Node("Resize", "/resize")))])
    assert not list(misplaced("webgpu", placements, forced=["/nms", "/resize"]))
    (problem,) = misplaced("webgpu", placements, forced=["/resize"])
    assert problem.message == "1 node(s) run on CPUExecutionProvider: NonMaxSuppression /nms"
    (unnamed,) = misplaced("webgpu", summarise("webgpu", [Placed("CPUExecutionProvider", (), count=2)]), forced=[""])
    assert unnamed.message.startswith("2 node(s)")


def test_wasm_belongs_on_the_cpu() -> None:
    assert not list(misplaced("wasm", summarise("wasm", [CPU])))


@pytest.mark.parametrize("backend", ["webgpu", "wasm"])
def test_unknown_is_a_problem(backend: str) -> None:
    (problem,) = misplaced(backend, ())
    assert problem.code == "no-placement"


JSEP = Placed("JsExecutionProvider", (Node("Conv", "/conv"),))


def test_jsep_may_leave_nodes_to_the_cpu_but_not_all() -> None:
    some = summarise("webgpu", [JSEP, CPU], jsep=True)
    assert [p.at_home for p in some] == [True, False]
    assert not list(misplaced("webgpu", some, jsep=True))
    (problem,) = misplaced("webgpu", summarise("webgpu", [CPU], jsep=True), jsep=True)
    assert problem.code == "off-gpu"


def test_another_build_is_not_taken_for_jsep() -> None:
    (problem,) = misplaced("webgpu", summarise("webgpu", [GPU], jsep=True), jsep=True)
    assert "WebGpuExecutionProvider" in problem.message
