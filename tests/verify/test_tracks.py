"""Track ids in a video: the page's compared with Python's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from tests.manifests import manifest
from webbuild.compare.comparison import Comparison
from webbuild.equivalence.answer import Answer
from webbuild.errors import USAGE, WebbuildError
from webbuild.manifest.manifest import ClassifyTask, DetectTask, Task, TensorTask
from webbuild.tasks.decoding.detection import Box, Detection
from webbuild.verify.bundle import Bundle
from webbuild.verify.inputs import VerifyInput
from webbuild.verify.report import SampleResult
from webbuild.verify.tracks import compare_tracks, require_boxes, video_picture

TASK = DetectTask(output="rows", rows=9, classes=["cat"])


def found(x: float, score: float = 0.9) -> Detection:
    return Detection(Box(x, 0, x + 20, 40), score, 0, "cat")


FILM = [[found(0), found(100)], [found(3), found(100)], [found(6), found(100)]]
IDS: list[list[int | None]] = [[1, 2], [1, 2], [1, 2]]


def compared(
    native: Sequence[Sequence[Detection]], page: Sequence[Sequence[Detection]], ids: Sequence[Sequence[int | None]]
) -> Comparison:
    results = [
        SampleResult(sample=f"video, step {step}", comparisons=(), detections=tuple(each), tracks=tuple(tracks))
        for step, (each, tracks) in enumerate(zip(page, ids, strict=True), 1)
    ]
    frames = [(Answer(TASK, {}, decoded=each), result) for each, result in zip(native, results, strict=True)]
    (comparison,) = compare_tracks("webgpu", frames).comparisons
    assert comparison.subject.sample == "video"
    return comparison


def test_the_same_ids_are_counted() -> None:
    same = compared(FILM, FILM, IDS)
    assert (same.verdict, same.signal, same.near_threshold) == ("OK", 2, 0)


@pytest.mark.parametrize("wrong", [[1, 3], [2, 1], [1, None]])
def test_another_id_differs(wrong: list[int | None]) -> None:
    other = compared(FILM, FILM, [*IDS[:2], wrong])
    assert (other.verdict, other.max_abs) == ("DIFFERS", 1)
    assert other.details[0].endswith("at step 3")


def test_no_ids_at_all_prove_nothing() -> None:
    assert compared([[], []], [[], []], [[], []]).verdict == "VACUOUS"


def test_an_object_at_a_threshold_may_have_its_id_in_one_of_them_only() -> None:
    native = [[found(0), found(100, 0.6000001)], [found(0), found(100, 0.7)]]
    page = [[found(0), found(100, 0.5999999)], [found(0), found(100, 0.7)]]
    near = compared(native, page, [[1, None], [1, None]])
    assert (near.verdict, near.near_threshold) == ("OK", 2)


def test_the_video_is_of_the_picture_on_which_most_is_found() -> None:
    inputs = [VerifyInput(name, {}, Path(f"{name}.png")) for name in ("nobody", "two", "one")]
    answers = [Answer(TASK, {}, decoded=each) for each in ([], FILM[0], FILM[0][:1])]
    assert video_picture(inputs, answers) == Path("two.png")
    assert video_picture(inputs[:1], answers[:1]) is None
    steps = [msgspec.structs.replace(each, sequence="video") for each in inputs]
    assert video_picture(steps, answers) is None


@pytest.mark.parametrize("task", [TensorTask(), ClassifyTask(output="scores", classes=["cat"], logits=True)])
def test_a_model_without_boxes_has_no_ids(task: Task, tmp_path: Path) -> None:
    with pytest.raises(WebbuildError, match="finds boxes") as caught:
        require_boxes(Bundle(tmp_path, manifest(task)))
    assert (caught.value.code, caught.value.exit_code) == ("no-tracks", USAGE)
    require_boxes(Bundle(tmp_path, manifest(TASK)))
