"""The names of fused CPU nodes in the engine's log."""

import onnx_ir as ir

from webbuild.inspection.cpu_fusion import fused_operators


def operators(body: str, first: int = 0, known: str = "") -> list[str]:
    """Return the operator names for a graph in ONNX's text format, whose first nodes run on the GPU."""
    consts = "<int64 a = {0}, int64 b = {-1}, int64[1] c = {1}"
    text = f'<ir_version: 8, opset_import: ["" : 17]> g (int64[2,3] x) => (int64 y) {consts}{known}> {{ {body} }}'
    return sorted(fused_operators(list(ir.from_onnx_text(text).graph)[first:]))


def test_gathers_of_every_part_are_a_split() -> None:
    assert operators("p = Gather(x, a) q = Gather(x, b) y = Add(p, q)") == ["Add", "Split", "Squeeze", "Squeeze"]


def test_a_part_that_keeps_its_axis_is_not_squeezed() -> None:
    assert operators("p = Gather(x, a) q = Gather(x, c) y = Add(p, q)") == ["Add", "Split", "Squeeze"]


def test_a_part_that_nobody_takes_leaves_them_gathers() -> None:
    assert operators("p = Gather<axis = 1>(x, a) q = Gather<axis = 1>(x, b) y = Add(p, q)") == [
        "Add",
        "Gather",
        "Gather",
    ]


def test_gathers_of_a_shape_stay() -> None:
    assert operators("s = Shape(x) p = Gather(s, a) q = Gather(s, b) y = Add(p, q)", 1, ", int64[2] s") == [
        "Add",
        "Gather",
        "Gather",
    ]


def test_gathers_of_what_the_gpu_computed_are_a_split() -> None:
    body = "s = Neg(x) p = Gather(s, a) q = Gather(s, c) y = Add(p, q)"
    assert operators(body, 1, ", int64[2, 3] s") == ["Add", "Split", "Squeeze"]


def test_another_reader_of_the_whole_leaves_them_gathers() -> None:
    body = "p = Gather(x, a) q = Gather(x, b) r = Add(p, q) y = Add(r, x)"
    assert operators(body) == ["Add", "Add", "Gather", "Gather"]
