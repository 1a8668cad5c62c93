"""A graph without metadata computes the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx_ir as ir
import pytest

from tests.native import Session, random_feeds
from tests.precision.case import FILES, converted
from webbuild.precision.strip_metadata import strip_metadata

EACH = pytest.mark.parametrize("file", FILES, ids=lambda file: file.name.removesuffix(".onnx.txt"))


@EACH
def test_it_computes_the_same_under_the_same_names(file: Path) -> None:
    model = converted(file).model
    before = ir.to_proto(model)
    small = strip_metadata(model)
    assert ir.to_proto(model) == before, "the graph itself was changed"
    feeds = random_feeds(model, 0)
    want, got = Session(model).run(feeds), Session(small).run(feeds)
    assert set(want) == set(got)
    for name, value in want.items():
        np.testing.assert_array_equal(got[name], value)
    assert [node.name for node in small.graph] == [node.name for node in model.graph]
    assert ir.to_proto(small).ByteSize() <= before.ByteSize()
    assert not ir.to_proto(small).graph.value_info
