"""Node placement: on WebGPU all nodes must run on the GPU, and unknown is not all."""

from __future__ import annotations

import pytest

from webbuild.verify.node_placement import misplaced_problems, summarize_placement
from webbuild.verify.page_messages import ExecutedNode, ProviderNodes

GPU = ProviderNodes(
    "WebGpuExecutionProvider",
    (ExecutedNode("Conv", "/conv"), ExecutedNode("Conv", "/conv_1"), ExecutedNode("Mul", "/mul")),
)
CPU = ProviderNodes("CPUExecutionProvider", (ExecutedNode("NonMaxSuppression", "/nms"),))
UNNAMED = ProviderNodes("WebGpuExecutionProvider", (), count=371)


def test_all_on_the_gpu() -> None:
    (placement,) = summarize_placement("webgpu", [GPU, ProviderNodes("CPUExecutionProvider", ())])
    assert (placement.count, placement.operators, placement.nodes) == (3, {"Conv": 2, "Mul": 1}, ())
    assert not list(misplaced_problems("webgpu", [placement]))


def test_nodes_that_the_engine_only_counts() -> None:
    assert [p.count for p in summarize_placement("webgpu", [UNNAMED])] == [371]
    (problem,) = misplaced_problems(
        "webgpu", summarize_placement("webgpu", [UNNAMED, ProviderNodes("CPUExecutionProvider", (), count=2)])
    )
    assert problem.message == "2 node(s) run on CPUExecutionProvider: unnamed"


def test_a_node_on_the_cpu_is_named() -> None:
    placements = summarize_placement("webgpu", [CPU, GPU])
    assert [p.provider for p in placements] == ["WebGpuExecutionProvider", "CPUExecutionProvider"]
    (problem,) = misplaced_problems("webgpu", placements)
    assert (problem.code, "NonMaxSuppression /nms" in problem.message) == ("off-gpu", True)


def test_a_node_that_is_forced_to_the_cpu_belongs_there_and_no_other() -> None:
    placements = summarize_placement(
        "webgpu", [GPU, ProviderNodes("CPUExecutionProvider", (*CPU.nodes, ExecutedNode("Resize", "/resize")))]
    )
    assert not list(misplaced_problems("webgpu", placements, forced=["/nms", "/resize"]))
    (problem,) = misplaced_problems("webgpu", placements, forced=["/resize"])
    assert problem.message == "1 node(s) run on CPUExecutionProvider: NonMaxSuppression /nms"
    (unnamed,) = misplaced_problems(
        "webgpu", summarize_placement("webgpu", [ProviderNodes("CPUExecutionProvider", (), count=2)]), forced=[""]
    )
    assert unnamed.message.startswith("2 node(s)")


def test_wasm_belongs_on_the_cpu() -> None:
    assert not list(misplaced_problems("wasm", summarize_placement("wasm", [CPU])))


@pytest.mark.parametrize("backend", ["webgpu", "wasm"])
def test_unknown_is_a_problem(backend: str) -> None:
    (problem,) = misplaced_problems(backend, ())
    assert problem.code == "no-placement"
