"""The recorded sequence of a model with state is compared with native ONNX Runtime's current results."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.verify.bundle_made import rewrite
from tests.verify.trail_made import SHAPE, write_trail
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import Golden, GoldenSequence
from webbuild.verify.bundle import Bundle
from webbuild.verify.bundle_reader import open_bundle
from webbuild.verify.reference import check_golden_run, reference_runner

X = np.arange(192, dtype=np.float32).reshape(SHAPE) + 1
FACTORS = {"y": 0.5, "seenN": 1.0}
"""Relative to the input, after one run."""


def with_golden(folder: Path, output: str = "y", *, steps: int = 3, state: float = 1 + 1 / 2 + 1 / 4) -> Bundle:
    """Write a golden run, and `output` of the last of several runs, where the state is the input times its factor."""
    bundle = write_trail(folder)
    files = {"x": X, "first": X * 0.5, "third": X * np.float32(state * FACTORS.get(output, 1))}
    for name, array in files.items():
        (folder / "golden" / f"{name}.bin").write_bytes(array.tobytes())
    golden = Golden(
        sample="one",
        inputs={"images": "golden/x.bin"},
        outputs={"y": "golden/first.bin"},
        sequence=GoldenSequence(steps=steps, outputs={output: "golden/third.bin"}),
    )
    return rewrite(folder, bundle.manifest, golden=golden)


def verdicts(bundle: Bundle) -> dict[str, str]:
    found = check_golden_run(bundle, reference_runner(bundle))
    return {each.subject.sample: each.verdict for each in found}


@pytest.mark.parametrize("output", ["y", "seenN"])
def test_results_and_states_of_the_last_run_are_compared(tmp_path: Path, output: str) -> None:
    assert verdicts(with_golden(tmp_path, output)) == {"golden": "OK", "golden, 3 runs": "OK"}


def test_another_number_of_runs_answers_something_else(tmp_path: Path) -> None:
    assert verdicts(with_golden(tmp_path, steps=2)) == {"golden": "OK", "golden, 2 runs": "DIFFERS"}


def test_what_a_model_without_memory_answers_differs(tmp_path: Path) -> None:
    assert verdicts(with_golden(tmp_path, state=1)) == {"golden": "OK", "golden, 3 runs": "DIFFERS"}


def test_an_output_that_the_model_lacks_is_refused(tmp_path: Path) -> None:
    with_golden(tmp_path, "other")
    with pytest.raises(WebbuildError, match="golden sequence has outputs that the model lacks"):
        open_bundle(tmp_path)
