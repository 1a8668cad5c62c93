"""A model around a few nodes, rewritten by one pass and compared with the original."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx_ir as ir
from numpy.typing import NDArray

from tests.native import Session
from webbuild.passes.analysis.shape_inference import infer_shapes
from webbuild.passes.base import Pass, PassOptions
from webbuild.targets.table import load_table
from webbuild.targets.target import Target

WEBGPU = Target("1.30.0", "webgpu")

FOUND = Path(__file__).parents[3] / "test-results" / "found"
"""Models that a pass rewrites wrongly."""

Arrays = Mapping[str, NDArray[Any]]


def model_of(
    nodes: Sequence[onnx.NodeProto],
    feeds: Arrays,
    opset: int,
    weights: Arrays | None = None,
    like: str | None = None,
) -> onnx.ModelProto:
    """Return a model of nodes with the inputs `feeds` and the single output `y`.

    The output has the type of the input named by `like`, or the inferred type.
    """
    kind, helper = onnx.helper.np_dtype_to_tensor_dtype, onnx.helper
    inputs = [helper.make_tensor_value_info(name, kind(each.dtype), each.shape) for name, each in feeds.items()]
    held = [onnx.numpy_helper.from_array(array, name) for name, array in (weights or {}).items()]
    known = [each for each in inputs if each.name == like]
    outputs = [helper.make_value_info("y", each.type) for each in known] or [onnx.ValueInfoProto(name="y")]
    graph = helper.make_graph(list(nodes), "g", inputs, outputs, held)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    inferred = onnx.shape_inference.infer_shapes(model, data_prop=True)
    onnx.checker.check_model(inferred)
    return inferred


def changed(model: onnx.ModelProto, kind: type[Pass]) -> onnx.ModelProto:
    """Return a model after a pass for WebGPU; the pass must change it the first time, and not the second time."""
    patched, options = ir.from_proto(model), PassOptions(table=load_table(WEBGPU))
    infer_shapes(patched)
    assert any(rewrite.applied for rewrite in kind().apply(patched, options))
    infer_shapes(patched)
    assert not any(rewrite.applied for rewrite in kind().apply(patched, options))
    result = ir.to_proto(patched)
    onnx.checker.check_model(result, full_check=True)
    return result


def fires(model: onnx.ModelProto, kind: type[Pass]) -> bool:
    """Whether a pass changes a model."""
    read = ir.from_proto(model)
    infer_shapes(read)
    return any(rewrite.applied for rewrite in kind().apply(read, PassOptions(table=load_table(WEBGPU))))


def assert_same(
    model: onnx.ModelProto, kind: type[Pass], feeds: Arrays, tolerance: float = 0.0, terms: float = 0.0
) -> None:
    """Compare before and after, with a tolerance relative to the largest finite magnitude of the output.

    `terms` is the magnitude of the output's summands, where they may cancel or be weighted with 0. A model that differs
    is saved.
    """
    try:
        compare(model, kind, feeds, tolerance, terms)
    except Exception as error:
        error.add_note(f"kept as {keep_model(model, kind)}: make it a case of the pass, in tests/passes/cases")
        raise


def compare(model: onnx.ModelProto, kind: type[Pass], feeds: Arrays, tolerance: float, terms: float = 0.0) -> None:
    """Assert that a pass leaves a model's outputs unchanged."""
    want = Session(model).run(feeds)
    got = Session(changed(model, kind)).run(feeds)
    assert set(want) == set(got) == {"y"}
    assert want["y"].shape == got["y"].shape
    assert want["y"].dtype == got["y"].dtype
    magnitude = np.abs(want["y"].astype(np.float64))
    limit = tolerance * magnitude.max(initial=terms, where=np.isfinite(magnitude))
    np.testing.assert_allclose(got["y"], want["y"], rtol=0, atol=limit)


def keep_model(model: onnx.ModelProto, kind: type[Pass]) -> Path:
    """Save a model that a pass rewrites wrongly. The last one saved is hypothesis' smallest."""
    test = os.environ.get("PYTEST_CURRENT_TEST", "").partition(" ")[0].rpartition("::")[2]
    name = re.sub(r"\W+", "_", test).removeprefix("test_") or "model"
    file = FOUND / kind.code / f"{name}.onnx.txt"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"# target: {WEBGPU.name}\n{onnx.printer.to_text(model)}\n", "utf-8")
    return file
