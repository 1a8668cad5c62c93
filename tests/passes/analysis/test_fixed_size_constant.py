"""The constant that fixes a model's input size is named, with that image size where the patches show it."""

from __future__ import annotations

import onnx
import onnx_ir as ir
import pytest

from tests.models import HEADER, parsed, weights
from webbuild.passes.analysis.fixed_size_constant import fixed_size_constant

PATCHES = "p = Conv <kernel_shape = [8, 8], strides = [8, 8]> (x, w)"
OVERLAPPING = "p = Conv <kernel_shape = [9, 9], strides = [8, 8]> (x, w)"


def said(shape: tuple[int, ...], nodes: str, message: str, features: str = PATCHES) -> str | None:
    """Return the message about a model with a position constant of this shape and a bias."""
    proto = parsed(f"""{HEADER}
    m (float[n,3,h,w] x, float[4,3,8,8] w, float[1,n,4] t) => (float[a,b,c] y) {{ {features} {nodes} }}""")
    arrays = {"position": weights(*shape), "bias": weights(1, 1, 4)}
    proto.graph.initializer.extend(onnx.numpy_helper.from_array(array, name) for name, array in arrays.items())
    return fixed_size_constant(ir.from_proto(proto), message)


def failed(operator: str, name: str, why: str) -> str:
    return f"Non-zero status code returned while running {operator} node. Name:'{name}' Status Message: {why}"


ADD = failed("Add", "", "Attempting to broadcast an axis by a dimension other than 1. 64 by 16")


@pytest.mark.parametrize(
    ("shape", "size"),
    [
        ((1, 16, 4), "32x32"),
        ((1, 17, 4), "32x32"),
        ((16, 4), "32x32"),
        ((1, 21, 4), "32x32"),
        ((1, 4, 16, 2), "16x128"),
    ],
)
def test_the_size_follows_from_the_patches(shape: tuple[int, ...], size: str) -> None:
    message = failed("Add", "", "why")
    assert said(shape, "y = Add (t, position)", message) == (
        f"'position' {list(shape)} of an unnamed Add is a constant, made for pictures of {size}"
    )


def test_without_patches_the_size_is_not_said() -> None:
    told = said((1, 16, 4), "y = Add (t, position)", ADD, OVERLAPPING)
    assert told == "'position' [1, 16, 4] of an unnamed Add is a constant, made for one size of picture"


def test_of_several_nodes_without_a_name_the_one_with_that_dimension_is_meant() -> None:
    nodes = "s = Add (t, position) y = Add (s, bias)"
    assert said((1, 16, 4), nodes, ADD) is not None
    assert said((1, 25, 4), nodes, ADD) is None


@pytest.mark.parametrize(
    "message",
    [
        failed("Add", "other", "64 by 16"),
        failed("Reshape", "", "the input cannot be reshaped"),
        failed("Mul", "", "64 by 16"),
        "no kernel",
    ],
)
def test_another_failure_is_no_matter_of_a_constant(message: str) -> None:
    assert said((1, 16, 4), "y = Add (t, position)", message) is None


def test_a_bias_is_for_every_size() -> None:
    assert said((1, 16, 4), "y = Add (t, bias)", failed("Add", "", "64 by 4")) is None
