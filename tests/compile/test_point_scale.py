"""The number by which a mask decoder divides its points."""

from __future__ import annotations

import onnx_ir as ir
import pytest

from webbuild.compile.stages.point_scale import point_side


def side(body: str) -> int | None:
    """Return the side length read from a point graph in ONNX's text form."""
    vectors = "float[2] both = {64.0, 64.0}, float[2] other = {64.0, 32.0}"
    known = f"<float half = {{0.5}}, float part = {{0.0078125}}, float[1] wide = {{1024.0}}, {vectors}>"
    text = f'<ir_version: 8, opset_import: ["" : 17]> g (float[1,3,2] p) => (float[1,3,2] y) {known} {{ {body} }}'
    return point_side(list(ir.from_onnx_text(text).graph.inputs))


@pytest.mark.parametrize(
    ("body", "want"),
    [
        ("a = Add(p, half) y = Div(a, wide)", 1024),
        ("y = Div(p, both)", 64),
        ("a = Identity(p) y = Mul(a, part)", 128),
        ("a = Concat <axis = 1> (p, p) y = Div(a, wide)", 1024),
        ("y = Div(p, other)", None),
        ("y = Div(wide, p)", None),
        ("a = Div(p, wide) b = Div(p, both) y = Add(a, b)", None),
        ("a = Mul(p, p) y = Div(a, wide)", None),
    ],
)
def test_points_are_divided_by_the_side_of_their_frame(body: str, want: int | None) -> None:
    assert side(body) == want
