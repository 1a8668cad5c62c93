"""A backend whose answers nobody compared has proved nothing."""

from __future__ import annotations

import pytest

from webbuild.manifest.manifest import Graph, TargetName
from webbuild.verify.report import SampleResult
from webbuild.verify.run_backend import fallback_only_problems, is_placement_promised


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
