"""Rows of a comparison table: one for each output, with its quantities as text."""

from __future__ import annotations

from typing import get_args

from webbuild.compare.by_output import count_matched, count_near_threshold
from webbuild.compare.comparison import ComparedOutput, Comparison, Mismatch, NoSignal
from webbuild.reporting.comparison_text import comparison_rows, describe_difference, describe_reason, noise_texts

ROWS = ComparedOutput("wasm", "one.jpg", "raw", "output0")
MASKS = ComparedOutput("wasm", "one.jpg", "decoded", "")


def made(subject: ComparedOutput, quantity: str, tolerance: float, max_abs: float, **fields: object) -> Comparison:
    about = subject.with_quantity(quantity, "px" if quantity == "box" else "")
    given = {"verdict": "OK", "signal": 3.0, "tolerance": tolerance, "max_abs": max_abs, **fields}
    return Comparison(subject=about, **given)  # type: ignore[arg-type]


FOUND = [
    made(ROWS, "detections", 0, 0, near_threshold=2),
    made(ROWS, "score", 1e-4, 3e-5),
    made(ROWS, "box", 0.05, 0.01),
    made(MASKS, "detections", 0, 0, near_threshold=2),
    made(MASKS, "score", 1e-4, 3e-5),
    made(MASKS, "mask", 0.02, 0.005, signal=1.0, similarity=0.995),
]
TENSOR = Comparison(
    subject=ComparedOutput("wasm", "one.jpg", "raw", "protos"), verdict="OK", tolerance=0.5, max_abs=0.2, noise=0.1
)


def test_an_output_is_a_row_and_what_is_decoded_another() -> None:
    rows, masks, tensor = comparison_rows([*FOUND, TENSOR])
    assert (rows.output, rows.objects, rows.near_threshold) == ("output0", 3, 2)
    assert rows.distance == "score 3e-05 of 0.0001, box 0.01 of 0.05 px"
    assert (masks.output, masks.objects) == ("masks", 1)
    assert masks.distance.endswith("mask 0.005 of 0.02 (least similarity 0.9950)")
    assert (tensor.output, tensor.objects) == ("protos", None)
    assert tensor.distance == "0.2 of 0.5 (noise floor 0.1 RMS)"


def test_what_is_decoded_without_masks_is_called_detections() -> None:
    (crops,) = comparison_rows([made(MASKS, "detections", 0, 0), made(MASKS, "cosine distance", 1e-4, 2e-5)])
    assert (crops.output, crops.objects) == ("detections", 3)
    assert crops.distance == "cosine distance 2e-05 of 0.0001"


def test_regions_are_called_so_though_each_has_a_mask() -> None:
    (regions,) = comparison_rows([made(MASKS, "regions", 0, 0), made(MASKS, "mask", 1e-2, 2e-3)])
    assert regions.output == "regions"


def test_objects_are_counted_once() -> None:
    assert (count_matched(FOUND), count_near_threshold(FOUND)) == (3, 2)


def test_what_differs_is_said_with_its_place() -> None:
    wrong = made(ROWS, "box", 0.1, 2, verdict="DIFFERS", reason="too-far", worst=(0, 4), want="1", got="3")
    assert describe_difference([FOUND[0], wrong]) == "box differs by 2, more than 0.1 at [0, 4]: wanted 1, got 3"


def test_every_reason_has_words_of_its_own_and_names_the_objects() -> None:
    reasons = (*get_args(Mismatch), *get_args(NoSignal))
    said = [describe_reason(made(ROWS, "score", 1, 2, reason=reason, details=("cup",))) for reason in reasons]
    assert len(set(said)) == len(reasons)
    assert all(each.endswith(": cup") and "{" not in each for each in said)
    assert describe_reason(FOUND[0]) == ""


def test_the_noise_of_what_it_explains_is_told_by_name() -> None:
    assert noise_texts([*FOUND, TENSOR], "{:g}".format) == {"protos": "0.1"}
