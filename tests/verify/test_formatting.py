"""Number formatting."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.verify.detections_made import backend, comparison, report
from webbuild.verify.formatting import format_milliseconds, format_number, reader_notes, runner_name, verdict_text


@pytest.mark.parametrize(
    ("value", "wanted"),
    [(0, "0"), (0.0314, "0.031"), (4.2e-6, "4.2\N{MULTIPLICATION SIGN}10⁻⁶"), (1.0, "1"), (4227.4, "4,227")],
)
def test_number(value: float, wanted: str) -> None:
    assert format_number(value) == wanted


@pytest.mark.parametrize("value", [None, float("nan"), float("inf")])
def test_what_is_no_number_is_a_dash(value: float | None) -> None:
    assert format_number(value) == "\N{EN DASH}"


@pytest.mark.parametrize(("value", "wanted"), [(8.43, "8.4 ms"), (812.3, "812 ms"), (12_400, "12.4 s")])
def test_milliseconds(value: float, wanted: str) -> None:
    assert format_milliseconds(value) == wanted


def test_a_graph_in_half_precision_is_called_by_backend_and_precision() -> None:
    assert [runner_name(each) for each in ("webgpu", "webgpu fp16", "wasm", "other")] == [
        "WebGPU",
        "WebGPU fp16",
        "WASM",
        "other",
    ]


def test_what_the_noise_floor_explains_is_told() -> None:
    unstable = comparison(output="score", noise=0.054), comparison(output="box", noise=1.2), comparison()
    (note,) = reader_notes(report(backend(*unstable)))
    assert "numerically unstable" in note
    assert "(score by 0.054, box by 1.2, root mean square)" in note
    assert reader_notes(report(backend(comparison()))) == []


def test_noise_of_an_output_is_told_with_the_magnitude_of_its_values() -> None:
    elements = replace(comparison(output="map", noise=0.2), signal=80.0)
    elements = replace(elements, subject=replace(elements.subject, stage="raw"))
    (note,) = reader_notes(report(backend(elements)))
    assert "(map by 0.2 of values up to 80, root mean square)" in note


def test_a_graph_that_was_compared_piece_by_piece_is_not_said_to_answer_the_same() -> None:
    (note,) = reader_notes(report(backend(comparison(output="y", noise=2.5, pieces=166))))
    assert "piece by piece" in note
    assert "(166 values on WebGPU)" in note
    assert "times that are accepted" not in note


def test_what_was_left_out_is_told_and_not_said_to_agree() -> None:
    told = report(backend(comparison()), backend(backend="webgpu mixed", skip_reason="this adapter has no shader-f16"))
    (note,) = reader_notes(told)
    assert note.startswith("WebGPU mixed was not run: this adapter has no shader-f16.")
    assert verdict_text(told)[2].startswith("WebGPU agrees")
    (note,) = reader_notes(replace(told, fp16_backend="Chromium"))
    assert "was proven when it was packed (Chromium)" in note


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (("encoder", "decoder", "whole"), "in encoder and decoder and all together"),
        (("encoder", "decoder"), "in encoder and decoder"),
    ],
    ids=["all together", "with JavaScript between"],
)
def test_stages_are_named_once_for_all_backends(names: tuple[str, ...], sentence: str) -> None:
    runs = [backend(backend=f"{each} {name}") for name in names for each in ("wasm", "webgpu fp16")]
    told = report(*runs, stages=("encoder", "decoder"))
    assert verdict_text(told)[2].startswith(f"WASM and WebGPU fp16 on 1 sample, 1 detection, {sentence}:")


def test_prompts_of_counts_in_a_row_are_told_as_a_range() -> None:
    stages = ("encoder", "decoder")
    counted = [backend(backend=f"wasm decoder {count} points") for count in (2, 3, 4)]
    assert verdict_text(report(*counted, stages=stages))[2].startswith("WASM at 2 to 4 points on")
    apart = [backend(backend=f"wasm decoder {count} points") for count in (2, 4)]
    assert verdict_text(report(*apart, stages=stages))[2].startswith("WASM at 2 points, 4 points on")
