"""The report's text about the precision of a graph."""

from __future__ import annotations

import onnx_ir as ir

from tests.models import HEADER, as_ir, convolution
from webbuild.manifest.manifest import Precision
from webbuild.precision.plot import grid_lines, plot_points, y_position
from webbuild.precision.report import ConvertedFraction, PrecisionReport, SearchStep, precision


def test_a_model_of_float32_stays_one_and_the_report_says_why() -> None:
    said = precision(ir.from_proto(convolution()))
    assert said.startswith("float32, as exported")
    assert "65,504" in said


def test_a_model_of_halves_stays_one_too() -> None:
    model = as_ir(
        f"{HEADER} g (float16[2] x) => (float16[2] y) <float16[2] w = {{1, 2}}, int64 i = {{0}}> {{ y = Add (x, w) }}"
    )
    assert precision(model).startswith("1 of 1 weights are float16")


def test_of_a_graph_that_was_searched_it_is_said_how_much_became_float16() -> None:
    told = searched(precision="mixed", reason="the answers are the same")
    assert "7 of 10 nodes in float16, 2 Casts between float16 and float32" in precision(
        ir.from_proto(convolution()), told
    )
    left = searched(precision="fp32", reason="float16 would save 3% of the weights")
    assert precision(ir.from_proto(convolution()), left) == "float32: float16 would save 3% of the weights"


def searched(precision: Precision, reason: str) -> PrecisionReport:
    part = ConvertedFraction(0.9, 0.8, 0.7)
    arguments = (
        10,
        7,
        2,
        part,
        (100, 50),
        (),
        (),
        (SearchStep(part, {"y": 0.5}, ""), SearchStep(part, {"y": None}, "y: differs")),
    )
    return PrecisionReport("auto", precision, reason, "emulated: nothing else is here", *arguments, "")


def test_points_are_drawn_by_share_and_by_powers_of_ten() -> None:
    right, wrong = plot_points(searched("mixed", "").steps)
    assert (right.x, right.right, wrong.right) == (0.775, True, False)
    assert wrong.y == 0
    assert y_position(1.0) < right.y < y_position(0.1)
    assert (y_position(0.0), y_position(1e-9), y_position(1e9)) == (1.0, 1.0, 0.0)
    assert [line.label for line in grid_lines()].count("the tolerance") == 1
