"""A backend whose answers nobody compared has proved nothing."""

from __future__ import annotations

from webbuild.verify.report import SampleResult
from webbuild.verify.run_backend import fallback_only_problems


def case(repeated: str) -> SampleResult:
    return SampleResult(sample="street", comparisons=(), fallback_reason=repeated)


def test_a_backend_that_repeats_every_sample_on_its_fallback_is_a_problem() -> None:
    (problem,) = fallback_only_problems("webgpu", [case("300 candidates"), case("not converged")])
    assert (problem.code, problem.where) == ("only-fallback", "webgpu")


def test_one_answer_of_its_own_is_enough() -> None:
    assert not fallback_only_problems("webgpu", [case("300 candidates"), case("")])
    assert not fallback_only_problems("wasm", [])
