"""The reference, and whether it is unchanged since the bundle was packed."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import onnx
import pytest
from numpy.typing import NDArray

from tests.verify.bundle_made import ANSWERS, FEEDS, MODEL, rewrite, write_bundle
from webbuild.equivalence.answer import Answer
from webbuild.equivalence.compare_answers import compare_tensors
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import Output, TensorTask
from webbuild.runners.native import NativeRunner
from webbuild.verify.bundle import Bundle
from webbuild.verify.inputs import collect_inputs
from webbuild.verify.reference import check_golden_run, policy_of, reference_runner, run_reference


@pytest.fixture
def bundle(tmp_path: Path) -> Bundle:
    return write_bundle(tmp_path / "double")


def test_native_runs_the_graph(bundle: Bundle) -> None:
    runner = reference_runner(bundle)
    got = runner.run(FEEDS)
    assert got["y"].tolist() == ANSWERS["y"].tolist()
    assert "double.onnx" in runner.name


def test_the_recorded_answers_are_checked(bundle: Bundle) -> None:
    assert [each.verdict for each in check_golden_run(bundle, reference_runner(bundle))] == ["OK", "OK"]
    (bundle.directory / "golden" / "y.bin").write_bytes(ANSWERS["y"][::-1].tobytes())
    assert [each.verdict for each in check_golden_run(bundle, reference_runner(bundle))] == ["DIFFERS", "OK"]


def test_an_unstable_model_may_have_answered_otherwise_on_another_machine(bundle: Bundle) -> None:
    steps = MODEL.replace("y = Add(twice, b)", "y = Floor(twice)").replace("Add(x, x)", "Mul(x, k)")
    onnx.save(onnx.parser.parse_model(steps.replace("b = {1}", "k = {1000}")), bundle.directory / "double.onnx")
    answers = np.floor(FEEDS["x"] * 1000)

    def verdict(recorded: NDArray[np.float32]) -> tuple[str, bool]:
        (bundle.directory / "golden" / "y.bin").write_bytes(recorded.astype(np.float32).tobytes())
        found = check_golden_run(bundle, reference_runner(bundle))[0]
        return found.verdict, found.noise is not None

    assert verdict(answers) == ("OK", False)
    assert verdict(answers - np.eye(2, 3, 1, np.float32)) == ("OK", True)
    assert verdict(answers * 1.03) == ("DIFFERS", False)


def test_an_output_the_manifest_promises_in_vain(bundle: Bundle) -> None:
    promised = [*bundle.manifest.outputs, Output(name="boxes", dtype="float32", shape=[1])]
    changed = rewrite(bundle.directory, bundle.manifest, outputs=promised)
    with pytest.raises(WebbuildError, match="boxes"):
        run_reference(changed, reference_runner(changed), collect_inputs(changed, []))


def test_what_native_refuses_is_an_error_with_a_mend(tmp_path: Path, bundle: Bundle) -> None:
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(b"no model")
    with pytest.raises(WebbuildError) as caught:
        NativeRunner(broken)
    assert caught.value.code == "reference-session-failed"
    with pytest.raises(WebbuildError) as caught:
        reference_runner(bundle).run({**FEEDS, "x": np.zeros((2, 2), np.float32)})
    assert caught.value.code == "reference-run-failed"


def test_a_graph_in_half_precision_is_judged_by_the_tolerance_that_it_was_proven_with(bundle: Bundle) -> None:
    half = msgspec.structs.replace(bundle.manifest.graphs[0], target="webgpu", precision="fp16")
    manifest = msgspec.structs.replace(bundle.manifest, graphs=[half, *bundle.manifest.graphs])
    both = msgspec.structs.replace(bundle, manifest=manifest)
    want = Answer(TensorTask(), {"y": np.array([1, 100], np.float32)})

    def verdict(runner: str, error: float) -> str:
        got = {"y": want.outputs["y"] + np.float32(error)}
        (found,) = compare_tensors(runner, "one", "raw", want, got, policy_of(both, runner))
        return found.verdict

    assert [verdict("webgpu fp16", error) for error in (0.9, 1.1)] == ["OK", "DIFFERS"]
    assert [verdict("webgpu", error) for error in (0.009, 0.9)] == ["OK", "DIFFERS"]
