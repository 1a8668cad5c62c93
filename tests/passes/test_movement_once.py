"""A chain of data movement is analysed once, however many layers have it."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
import pytest

from tests.models import as_ir
from webbuild.passes.analysis.movement import Transposition, as_transposition
from webbuild.passes.base import PassOptions
from webbuild.passes.fusion import split_after_transpose
from webbuild.passes.fusion.split_after_transpose import SplitAfterTranspose

LAYER = """
    a{0}, b{0} = Split <axis = 1> (x{0}, sizes)
    c{0} = Transpose <perm = [0, 2, 1]> (a{0})
    d{0} = Transpose <perm = [0, 2, 1]> (b{0})
    e{0} = Relu (c{0})
    f{0} = Relu (d{0})
    g{0} = Concat <axis = 2> (e{0}, f{0})
    x{1} = Transpose <perm = [0, 2, 1]> (g{0})
"""


def layers(count: int) -> ir.Model:
    body = "".join(LAYER.format(at, at + 1) for at in range(count))
    return as_ir(
        f"""<ir_version: 8, opset_import: ["" : 17]>
        graph (float[1, 8, 5] x) => (float[1, 8, 5] y) <int64[2] sizes = {{3, 5}}> {{
            x0 = Relu (x)
            {body}
            y = Relu (x{count})
        }}"""
    )


def test_alike_parts_are_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []

    def counted(places: np.ndarray, count: int) -> Transposition | None:
        seen.append(count)
        return as_transposition(places, count)

    monkeypatch.setattr(split_after_transpose, "as_transposition", counted)
    model = layers(4)
    ir.passes.common.ShapeInferencePass()(model)
    done = SplitAfterTranspose().apply(model, PassOptions())
    assert len([each for each in done if each.applied]) == 4
    assert sorted(seen) == [15, 25], "one of each of two sizes"


@pytest.mark.parametrize("length", [3, 4095, 4096, 4097, 9000])
def test_rows_of_any_length_are_recognized(length: int) -> None:
    places = np.arange(2 * 3 * length).reshape(2, 3, length).transpose(1, 0, 2)
    found = as_transposition(places.ravel(), places.size)
    assert found is not None
    assert (found.sizes, found.perm) == ((2, 3, length), (1, 0, 2))
    broken = places.ravel().copy()
    broken[[-1, -2]] = broken[[-2, -1]]
    assert as_transposition(broken, places.size) is None
