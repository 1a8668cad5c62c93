"""A backend whose results were not compared has proved nothing."""

from __future__ import annotations

import pytest

from webbuild.manifest.manifest import Graph, TargetName
from webbuild.verify.page_messages import EngineInfo, LoadResult, LoadTimings, ModelInfo, RuntimeFailure
from webbuild.verify.page_rpc import PageError
from webbuild.verify.report import SampleResult
from webbuild.verify.run_backend import is_placement_promised, load_tested
from webbuild.verify.run_problems import fallback_only_problems

LOADED = LoadResult(
    1, "webgpu", "", (), ModelInfo(EngineInfo("ort", "1", "jspi"), None, LoadTimings(1, 1, 1, 1, 4), None)
)


def case(repeated: str) -> SampleResult:
    return SampleResult(sample="street", comparisons=(), fallback_reason=repeated)


def test_a_backend_that_repeats_every_sample_on_its_fallback_is_a_problem() -> None:
    (problem,) = fallback_only_problems("webgpu", [case("300 candidates"), case("not converged")])
    assert (problem.code, problem.where) == ("only-fallback", "webgpu")


def test_one_answer_of_its_own_is_enough() -> None:
    assert not fallback_only_problems("webgpu", [case("300 candidates"), case("")])
    assert not fallback_only_problems("wasm", [])


@pytest.mark.parametrize(
    ("target", "all_on_gpu", "promised"), [("webgpu", True, True), ("webgpu", False, False), ("wasm", False, True)]
)
def test_a_node_on_the_cpu_is_a_problem_where_all_were_promised_to_the_gpu(
    target: TargetName, all_on_gpu: bool, promised: bool
) -> None:
    graph = Graph(
        target=target, file="y.onnx", weights=[], nodes=1, outputs=[], head_status=None, all_on_gpu=all_on_gpu
    )
    assert is_placement_promised(graph) is promised
    assert is_placement_promised(None)


def test_a_failed_self_test_is_a_problem_and_the_graph_is_compared_all_the_same() -> None:
    def load(tested: bool) -> LoadResult:
        if tested:
            raise PageError(RuntimeFailure("self-test-failed", "y differs by 40 %", ""))
        return LOADED

    loaded, (problem,) = load_tested(load, "webgpu fp16")
    assert loaded is LOADED
    assert (problem.code, problem.where) == ("self-test-failed", "webgpu fp16")
    assert "y differs by 40 %" in problem.message


def test_a_load_that_fails_otherwise_is_not_tried_again() -> None:
    tried = []

    def load(tested: bool) -> LoadResult:
        tried.append(tested)
        raise PageError(RuntimeFailure("no-session", "", ""))

    with pytest.raises(PageError):
        load_tested(load, "webgpu")
    assert tried == [True]
