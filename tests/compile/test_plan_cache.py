"""Plans that are kept: the same graphs come back, and another model, option or weight has another key."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnx_ir as ir
import pytest

from webbuild.compile.plan_cache import plan_key, read_plan, write_plan
from webbuild.passes.base import PassOptions
from webbuild.passes.lower import LoweredGraphs, lower
from webbuild.runners.content_cache import ContentCache

OPTIONS = PassOptions(dims={"N": 3})


def network(factor: float = 1.0) -> ir.Model:
    """Return a network whose weights the passes scale, beside one that they leave."""
    helper, from_array = onnx.helper, onnx.numpy_helper.from_array
    weights = {
        "w": np.linspace(-1, 1, 24).reshape(4, 6) * factor,
        "b": np.linspace(0, 1, 6),
        "s": np.full((), 0.5),
        "u": np.linspace(0, 2, 30).reshape(6, 5),
    }
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["m"]),
        helper.make_node("Add", ["m", "b"], ["a"]),
        helper.make_node("Mul", ["a", "s"], ["p"]),
        helper.make_node("MatMul", ["p", "u"], ["y"]),
    ]
    held = [from_array(array.astype(np.float32), name) for name, array in weights.items()]
    value = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "g", [value("x", 1, ["N", 4])], [value("y", 1, ["N", 5])], held)
    return ir.from_proto(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8))


def stored(planned: LoweredGraphs) -> dict[str, bytes]:
    return {
        str(target): ir.to_proto(each).SerializeToString(deterministic=True) for target, each in planned.graphs.items()
    }


def test_a_plan_comes_back_as_it_was(tmp_path: Path) -> None:
    model, cache = network(), ContentCache(tmp_path)
    key = plan_key(model, OPTIONS)
    planned = lower(model, OPTIONS)
    assert any(rewrite.code == "fold-scale" for rewrite in planned.rewrites["webgpu"])
    assert read_plan(cache, key, model) is None
    assert write_plan(cache, key, model, planned)
    again = network()
    assert plan_key(again, OPTIONS) == key
    kept = read_plan(cache, key, again)
    assert kept is not None
    assert kept.rewrites == planned.rewrites
    assert stored(kept) == stored(planned)
    weights = kept.graphs["webgpu"].graph.initializers
    assert weights["u"].const_value is again.graph.initializers["u"].const_value


def test_the_key_is_the_same_after_the_passes_have_run() -> None:
    model = network()
    key = plan_key(model, OPTIONS)
    lower(model, OPTIONS)
    assert plan_key(model, OPTIONS) == key


@pytest.mark.parametrize("options", [PassOptions(dims={"N": 4}), PassOptions(dims={"N": 3}, nms="keep")])
def test_other_options_have_another_key(options: PassOptions) -> None:
    assert plan_key(network(), options) != plan_key(network(), OPTIONS)


def test_other_weights_have_another_key() -> None:
    assert plan_key(network(2.0), OPTIONS) != plan_key(network(), OPTIONS)


def test_a_plan_without_one_of_its_weights_is_made_anew(tmp_path: Path) -> None:
    model, cache = network(), ContentCache(tmp_path)
    key = plan_key(model, OPTIONS)
    write_plan(cache, key, model, lower(model, OPTIONS))
    next(file for file in tmp_path.iterdir() if file.name != key).unlink()
    assert read_plan(cache, key, model) is None
