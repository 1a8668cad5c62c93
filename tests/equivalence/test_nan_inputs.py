"""Synthetic inputs for which the original gives NaN are drawn again, with a message."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.commands.program import webbuild
from tests.models import HEADER, parsed, save
from tests.runners.test_run_limit import ENDLESS
from webbuild.equivalence import nan_inputs
from webbuild.equivalence.nan_inputs import MAX_ATTEMPTS, replace_nan_inputs
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import TensorInput
from webbuild.runners import native
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
"""NaN where the sum of the input is negative: for every second synthetic input on average."""

ROOT_OF = """<ir_version: 8, opset_import: ["" : 18]>
g (float[1,9] x) => (float[1,9] y) {{ {} }}"""

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
    assert all("the original gives NaN" in note for note in notes)


def test_an_input_that_was_given_stays(tmp_path: Path) -> None:
    given = Sample("mine.npz", {"x": np.full((1, 9), -1, np.float32)})
    assert replace_nan_inputs(runner(ROOT, tmp_path), [given], None) == ([given], [])


def test_there_is_an_end_to_it(tmp_path: Path) -> None:
    asked: list[int] = []

    def redraw(attempt: int) -> dict[str, np.ndarray]:
        asked.append(attempt)
        return {"x": -np.abs(normal_tensor(SPEC, attempt))}

    sample = Sample("made up", redraw(0), redraw=redraw)
    never = ROOT_OF.format("z = Sub (x, x) y = Div (z, z)")
    kept, notes = replace_nan_inputs(runner(never, tmp_path), [sample], None)
    assert kept == [sample]
    assert asked == list(range(MAX_ATTEMPTS))
    assert notes == ["'made up': the original gives NaN or overflows on every random input"]


def test_a_run_without_an_end_is_not_tried_on_other_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "RUN_SECONDS", 0.2)
    asked: list[int] = []

    def redraw(attempt: int) -> dict[str, np.ndarray]:
        asked.append(attempt)
        return {"x": np.ones(2, np.float32), "go": np.array(attempt == 0)}

    sample = Sample("made up", redraw(0), redraw=redraw)
    with pytest.raises(WebbuildError) as raised:
        replace_nan_inputs(runner(ENDLESS, tmp_path), [sample], None)
    assert (raised.value.code, asked) == ("reference-run-too-long", [0])


def test_of_a_large_input_fewer_are_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def redraw(attempt: int) -> dict[str, np.ndarray]:
        asked.append(attempt)
        return {"x": normal_tensor(SPEC, attempt)}

    sample = Sample("made up", redraw(0), redraw=redraw)
    monkeypatch.setattr(nan_inputs, "MAX_DRAWN_ELEMENTS", 3 * sample.feeds["x"].size)
    never = ROOT_OF.format("z = Sub (x, x) y = Div (z, z)")
    replace_nan_inputs(runner(never, tmp_path), [sample], None)
    assert asked == [0, 1, 2]


def test_where_no_draw_does_the_numbers_are_drawn_towards_one(tmp_path: Path) -> None:
    sample = Sample("made up", {"x": np.full((1, 9), -9, np.float32)}, redraw=lambda _: {})
    kept, notes = replace_nan_inputs(runner(ROOT_OF.format("y = Log (x)"), tmp_path), [sample], None)
    assert kept[0].feeds["x"] == pytest.approx(0)
    assert notes == [
        "'made up': the numbers are drawn 90% of the way to 1, because the original gives NaN or overflows otherwise"
    ]


def test_an_answer_that_is_about_to_overflow_says_nothing(tmp_path: Path) -> None:
    sample = Sample("made up", {"x": np.full((1, 9), 85, np.float32)}, redraw=lambda _: {})
    (kept,), notes = replace_nan_inputs(runner(ROOT_OF.format("y = Exp (x)"), tmp_path), [sample], None)
    assert kept.feeds["x"].max() < 70
    assert "overflows otherwise" in notes[0]


CHOSEN = """<ir_version: 8, opset_import: ["" : 18]>
chosen (float[1,9] x, int64[1] at) => (float[1,1] y) <int64 far = {40}>
{ index = Mul (at, far) y = Gather <axis = 1> (x, index) }"""


def test_an_input_that_the_original_refuses_is_drawn_towards_what_it_takes(tmp_path: Path) -> None:
    feeds = {"x": np.ones((1, 9), np.float32), "at": np.array([1])}
    sample = Sample("made up", feeds, redraw=lambda _: {})
    (kept,), notes = replace_nan_inputs(runner(CHOSEN, tmp_path), [sample], None)
    assert kept.feeds["at"] == [0]
    assert "because the original fails otherwise" in notes[0]
    with pytest.raises(WebbuildError) as caught:
        replace_nan_inputs(runner(CHOSEN.replace("Mul", "Add"), tmp_path), [sample], None)
    assert caught.value.code == "reference-run-failed"


def test_pack_says_so(tmp_path: Path) -> None:
    done = webbuild("pack", save(parsed(ROOT), tmp_path / "root.onnx"), "-o", tmp_path / "out", "--no-verify")
    assert done.code == 0, done.stderr
    assert "because the original gives NaN" in done.stderr


COUNTED = f"""{HEADER}
counted (int64[1, 6] x) => (int64[1, 6] y, float[1, 6] z)
<int64 wanted = {{5}}>
{{
  same = Equal (x, wanted)
  y = Cast <to = 7> (same)
  z = Cast <to = 1> (x)
}}
"""
"""An output that is 0 for most synthetic inputs."""


def counting(*draws: int) -> Sample:
    """Return a sample of tokens, and the token that each draw contains."""
    return Sample("made up", {"x": np.full((1, 6), 1)}, redraw=lambda attempt: {"x": np.full((1, 6), draws[attempt])})


def test_an_output_that_is_zero_on_all_samples_gets_one_on_which_it_is_not(tmp_path: Path) -> None:
    sample = counting(*[1] * (MAX_ATTEMPTS + 2), 5, *[5] * MAX_ATTEMPTS)
    kept, notes = replace_nan_inputs(runner(COUNTED, tmp_path), [sample], None, seek_signal=True)
    assert [int(each.feeds["x"][0, 0]) for each in kept] == [1, 5]
    assert len({each.name for each in kept}) == 2
    assert [note for note in notes if "y is 0 everywhere" in note] == notes != []


@pytest.mark.parametrize("seek", [True, False])
def test_where_no_draw_says_more_the_samples_stay(seek: bool, tmp_path: Path) -> None:
    sample = counting(*[1] * 2 * MAX_ATTEMPTS)
    assert replace_nan_inputs(runner(COUNTED, tmp_path), [sample], None, seek_signal=seek) == ([sample], [])


def test_lack_of_memory_is_said_at_once(tmp_path: Path) -> None:
    lacking = f"{HEADER} g (float[1] x, int64[1] n) => (float[k] y) {{ y = Expand (x, n) }}"
    drawn: list[int] = []

    def draw(attempt: int) -> dict[str, NDArray[Any]]:
        drawn.append(attempt)
        return {}

    feeds = {"x": np.ones(1, np.float32), "n": np.array([1 << 50])}
    with pytest.raises(WebbuildError) as caught:
        replace_nan_inputs(runner(lacking, tmp_path), [Sample("made up", feeds, redraw=draw)], None)
    assert (caught.value.code, drawn) == ("out-of-memory", [])
