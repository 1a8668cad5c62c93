"""The final activation of an output."""

from __future__ import annotations

import pytest

from tests.models import HEADER, as_ir
from webbuild.model.read_signature import read_signature


@pytest.mark.parametrize(
    ("nodes", "wanted"),
    [
        ("y = Sigmoid (x)", "Sigmoid"),
        ("a = Sigmoid (x) y = Identity (a)", "Sigmoid"),
        ("a = Softmax <axis = 1> (x) b = Transpose <perm = [0, 2, 3, 1]> (a) y = Reshape (b, shape)", "Softmax"),
        ("a = Sigmoid (x) y = Neg (a)", ""),
        ("a = Sigmoid (x) y = Concat <axis = 1> (a, x)", ""),
        ("y = Relu (x)", ""),
    ],
)
def test_values_that_were_only_moved_are_still_those_of_the_activation(nodes: str, wanted: str) -> None:
    text = f"{HEADER} m (float[1,2,4,4] x) => (float[a,b,c,d] y) <int64[4] shape = {{1, 4, 4, 2}}> {{ {nodes} }}"
    (output,) = read_signature("m.onnx", as_ir(text)).outputs
    assert output.activation == wanted
