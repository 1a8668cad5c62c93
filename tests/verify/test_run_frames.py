"""A sequence run as images: every result and the final states must match the reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.manifests import image_input
from tests.verify.trail_made import write_trail
from webbuild.compare.comparison import Comparison
from webbuild.manifest.states import state_inputs
from webbuild.preprocess.image import image_to_tensor, load_image
from webbuild.runners.native import NativeRunner
from webbuild.runners.stateful import StatefulRuns
from webbuild.samples.sequences import STEPS
from webbuild.verify.bundle import Bundle
from webbuild.verify.inputs import collect_inputs, sequence_inputs
from webbuild.verify.page_messages import RunResult, RunTimings
from webbuild.verify.page_runner import PageRunner
from webbuild.verify.reference import reference_runner, run_reference
from webbuild.verify.run_sample import run_frame, run_sample


@pytest.fixture
def bundle(tmp_path: Path) -> Bundle:
    return write_trail(tmp_path / "trail")


class NativePage:
    """A fake page that computes in Python; `forgets` drops the states of `pictures` or of `snapshot`."""

    name = "wasm"

    def __init__(self, bundle: Bundle, forgets: str = "") -> None:
        self._native: NativeRunner = reference_runner(bundle)
        self._states = state_inputs(bundle.manifest.inputs)
        self._zeros = {spec.name: np.zeros(spec.shape, spec.dtype) for spec in self._states}
        self._forgets = forgets
        self.reset()

    def reset(self) -> None:
        self._runs, self._continues = StatefulRuns(self._run, self._states), False

    def _run(self, feeds: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        self._last = self._native.run({**self._zeros, **feeds})
        return self._last

    def run_timed(self, feeds: Mapping[str, NDArray[Any]]) -> tuple[dict[str, NDArray[Any]], float]:
        outputs = self._runs(feeds, continues=self._continues)
        self._continues = True
        return {"y": outputs["y"]}, 1

    def predict(
        self, pictures: Sequence[Path], options: Mapping[str, Any], second: Path | None = None, track: object = None
    ) -> RunResult:
        assert track is None
        if self._forgets == "pictures":
            self.reset()
        tensor, _ = image_to_tensor(load_image(pictures[0]), image_input())
        (y,) = self.run_timed({"images": tensor})[0].values()
        told = {"y": {"type": "float32", "dims": y.shape, "data": y.ravel()}}
        return RunResult("wasm", RunTimings(0, 1, 0, 1), fields={"outputs": told})

    def states(self) -> dict[str, NDArray[Any]]:
        return {"seen": self._last["seenN"] * (0 if self._forgets == "snapshot" else 1)}


def compared(bundle: Bundle, folder: Path, forgets: str = "") -> list[Comparison]:
    inputs = sequence_inputs(bundle, collect_inputs(bundle, []), folder)
    assert len(inputs) == STEPS
    assert len({each.file for each in inputs}) == STEPS
    answers = run_reference(bundle, reference_runner(bundle), inputs).answers
    page = cast("PageRunner", NativePage(bundle, forgets))
    work = list(zip(inputs, answers, strict=True))
    results = [run_sample(bundle, page, *each)[0] for each in work] + [run_frame(bundle, page, *each) for each in work]
    return [each for result in results for each in result.comparisons]


def test_every_frame_and_the_states_at_the_end_are_compared(bundle: Bundle, tmp_path: Path) -> None:
    found = compared(bundle, tmp_path)
    assert {each.verdict for each in found} == {"OK"}
    stages = [(each.subject.stage, each.subject.output) for each in found]
    counts = {each: stages.count(each) for each in stages}
    assert counts == {("raw", "y"): STEPS, ("decoded", "y"): STEPS, ("raw", "seenN"): 2}


@pytest.mark.parametrize(("forgets", "stage", "output"), [("pictures", "decoded", "y"), ("snapshot", "raw", "seenN")])
def test_a_state_that_is_dropped_differs(bundle: Bundle, tmp_path: Path, forgets: str, stage: str, output: str) -> None:
    differing = [each.subject for each in compared(bundle, tmp_path, forgets) if each.verdict == "DIFFERS"]
    assert (stage, output) in {(each.stage, each.output) for each in differing}


def test_a_state_of_zeros_is_not_asked_for(bundle: Bundle, tmp_path: Path) -> None:
    inputs = sequence_inputs(bundle, collect_inputs(bundle, []), tmp_path)
    dark = [msgspec.structs.replace(each, feeds={n: a * 0 for n, a in each.feeds.items()}) for each in inputs]
    answers = run_reference(bundle, reference_runner(bundle), dark).answers
    assert {name for each in answers for name in each.outputs} == {"y"}
