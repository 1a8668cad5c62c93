"""Which inputs and outputs of an operator can become float16 together."""

from __future__ import annotations

import pytest

from webbuild.targets.castable_indices import castable_indices


@pytest.mark.parametrize(
    ("op", "opset", "inputs", "outputs", "wanted"),
    [
        ("Conv", 17, (0, 1, 2), (0,), ({0, 1, 2}, {0})),
        ("Resize", 19, (0, 1, 2), (0,), ({0}, {0})),
        ("DequantizeLinear", 21, (1,), (0,), ({1}, {0})),
        ("DequantizeLinear", 23, (1,), (0,), None),
        ("Cast", 17, (0,), (), None),
        ("Relu", 17, (), (), None),
    ],
)
def test_places(
    op: str, opset: int, inputs: tuple[int, ...], outputs: tuple[int, ...], wanted: tuple[set[int], set[int]] | None
) -> None:
    found = castable_indices(op, opset, "", inputs, outputs)
    assert (None if found is None else (set(found.inputs), set(found.outputs))) == wanted
