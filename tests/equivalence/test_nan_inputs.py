"""Made-up inputs on which the original answers NaN are drawn again, and that is said."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.commands.program import webbuild
from tests.models import HEADER, parsed, save
from webbuild.equivalence.nan_inputs import MAX_ATTEMPTS, replace_nan_inputs
from webbuild.manifest.manifest import TensorInput
from webbuild.runners.native import NativeRunner
from webbuild.samples.collect import collect_samples
from webbuild.samples.random_inputs import normal_tensor
from webbuild.samples.sample import Sample

ROOT = f"""{HEADER}
root (float[1, 9] x) => (float[1, 9] y)
<int64[1] axis = {{1}}>
{{
  sum = ReduceSum (x, axis)
  size = Sqrt (sum)
  y = Mul (x, size)
}}
"""
"""NaN where the sum of the input is negative: for one made-up input in two."""

SPEC = TensorInput(name="x", dtype="float32", shape=[1, 9])


def runner(text: str, folder: Path) -> NativeRunner:
    return NativeRunner(save(parsed(text), folder / "root.onnx"))


def is_nan(feeds: dict[str, np.ndarray]) -> bool:
    return bool(feeds["x"].sum() < 0)


def test_another_input_is_drawn_until_the_original_answers_numbers(tmp_path: Path) -> None:
    samples = collect_samples(tmp_path / "root.onnx", [], [SPEC])
    assert [is_nan(each.feeds) for each in samples] != [False] * len(samples), "no sample shows anything"
    kept, notes = replace_nan_inputs(runner(ROOT, tmp_path), samples, None)
    assert [is_nan(each.feeds) for each in kept] == [False] * len(samples)
    same = [before.feeds is after.feeds for before, after in zip(samples, kept, strict=True)]
    assert same == [not is_nan(each.feeds) for each in samples]
    assert len(notes) == same.count(False)
    assert all("the original answers NaN" in note for note in notes)


def test_an_input_that_was_given_stays(tmp_path: Path) -> None:
    given = Sample("mine.npz", {"x": np.full((1, 9), -1, np.float32)})
    assert replace_nan_inputs(runner(ROOT, tmp_path), [given], None) == ([given], [])


def test_there_is_an_end_to_it(tmp_path: Path) -> None:
    asked: list[int] = []

    def redraw(attempt: int) -> dict[str, np.ndarray]:
        asked.append(attempt)
        return {"x": -np.abs(normal_tensor(SPEC, attempt))}

    sample = Sample("made up", redraw(0), redraw=redraw)
    kept, notes = replace_nan_inputs(runner(ROOT, tmp_path), [sample], None)
    assert kept == [sample]
    assert asked == list(range(MAX_ATTEMPTS))
    assert str(MAX_ATTEMPTS) in notes[0]


def test_pack_says_so(tmp_path: Path) -> None:
    done = webbuild("pack", save(parsed(ROOT), tmp_path / "root.onnx"), "-o", tmp_path / "out", "--no-verify")
    assert done.code == 0, done.stderr
    assert "since the original answers NaN" in done.stderr
