"""Every case of the conversion, tested in the same ways."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnx_ir as ir
import pytest

from tests.native import Session, random_feeds
from tests.passes.case import text
from tests.precision.case import FILES, converted, kept, measured, model
from webbuild.passes.analysis.shape_inference import infer_shapes
from webbuild.precision.convert import plan_conversion

EACH = pytest.mark.parametrize("file", FILES, ids=lambda file: file.name.removesuffix(".onnx.txt"))
ROUNDING = 4 * 2.0**-10
"""A few roundings to float16, relative to the largest magnitude of the output."""
HALF_AND_FLOAT = {ir.DataType.FLOAT, ir.DataType.FLOAT16}


@EACH
def test_the_result_is_a_valid_model(file: Path) -> None:
    found = converted(file).model.clone()
    infer_shapes(found)
    proto = ir.to_proto(found)
    onnx.checker.check_model(proto, full_check=True)
    onnx.shape_inference.infer_shapes(proto, check_type=True, strict_mode=True, data_prop=True)


@EACH
def test_the_border_stays_as_it_was(file: Path) -> None:
    before, after = model(file).graph, converted(file).model.graph
    for old, new in ((before.inputs, after.inputs), (before.outputs, after.outputs)):
        assert [(v.name, v.dtype, v.shape) for v in old] == [(v.name, v.dtype, v.shape) for v in new]


@EACH
def test_a_second_conversion_changes_nothing(file: Path) -> None:
    once = converted(file)
    twice = plan_conversion(once.model, measured()).convert(kept(file))
    assert (twice.casts, twice.fp16_nodes) == (0, ())
    assert text(twice.model) == text(once.model)


@EACH
def test_no_value_goes_there_and_back(file: Path) -> None:
    casts = [node for node in converted(file).model.graph if node.op_type == "Cast"]
    pairs = [(node.inputs[0], node.attributes.get_int("to")) for node in casts]
    assert len(set(pairs)) == len(pairs), "a value is cast twice to one type"
    for node in casts:
        assert node.inputs[0] is not None
        maker = node.inputs[0].producer()
        assert maker not in casts or {maker.inputs[0].dtype, *_types(node)} != HALF_AND_FLOAT  # type: ignore[union-attr]


def _types(node: ir.Node) -> list[ir.DataType | None]:
    return [value.dtype for value in (*node.inputs, *node.outputs) if value is not None]


@EACH
def test_the_result_is_as_recorded(file: Path, regenerate: bool) -> None:
    result = converted(file)
    record = file.with_name(file.name.replace(".onnx.txt", ".snapshot"))
    told = "".join(f"kept {name}: {reason}\n" for name, reason in result.fp32_reasons.items())
    told += "".join(f"mask {name}\n" for name in result.clamped_mask_constants)
    told += f"{len(result.fp16_nodes)} nodes are float16, with {result.casts} casts\n\n{text(result.model)}"
    if regenerate:
        record.write_text(told, "utf-8")
    assert record.is_file(), "run pytest with --regenerate and read what it wrote"
    assert told == record.read_text("utf-8")


@EACH
def test_the_numbers_are_those_of_the_original_rounded(file: Path) -> None:
    original = model(file)
    before, after = Session(original), Session(converted(file).model)
    signal = 0.0
    for seed in range(3):
        feeds = random_feeds(original, seed)
        want, got = before.run(feeds), after.run(feeds)
        for name, value in want.items():
            largest = float(np.nanmax(np.abs(value.astype(np.float64)), initial=0))
            limit = ROUNDING * largest if value.dtype.kind == "f" else 0
            np.testing.assert_allclose(got[name], value, rtol=0, atol=limit)
            signal = max(signal, largest)
    assert signal > 0, "zeros were compared with zeros"
