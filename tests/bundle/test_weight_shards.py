"""One set of weights for all graphs: equal weights are stored once, in shards, with unchanged values."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx_ir as ir
import onnxruntime
import pytest
from numpy.typing import NDArray

from tests.models import HEADER, parsed, weights
from webbuild.bundle import weight_shards as sharing
from webbuild.bundle.graphs import write_graphs
from webbuild.bundle.weight_shards import SharedWeights
from webbuild.manifest.manifest import TargetName
from webbuild.passes.workarounds.cpu_fallback import CPU_NODES_KEY


def model(*tensors: NDArray[Any], names: str = "w") -> ir.Model:
    """Return the sum of an input [64, 64] and of the tensors."""
    sums = [f"s{i} = Add ({'x' if i == 0 else f's{i - 1}'}, {names}{i})" for i in range(len(tensors))]
    body = " ".join([*sums, f"y = Relu (s{len(tensors) - 1})"])
    proto = parsed(f"{HEADER} g (float[64,64] x) => (float[64,64] y) {{ {body} }}")
    for index, tensor in enumerate(tensors):
        proto.graph.initializer.append(onnx.numpy_helper.from_array(tensor, f"{names}{index}"))
    return ir.from_proto(proto)


def run(path: Path, x: NDArray[Any]) -> NDArray[Any]:
    result: NDArray[Any] = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"]).run(None, {"x": x})[0]
    return result


BIG = [weights(64, 64, seed=seed) for seed in range(5)]


def write_shared_weights(models: Iterable[ir.Model], folder: Path) -> list[str]:
    """Write the large initializers of all models to shards, and return the shards' file names."""
    shared = SharedWeights(folder)
    shared.write(models)
    return shared.names


def test_equal_tensors_are_stored_once_whatever_they_are_called(tmp_path: Path) -> None:
    models = {"webgpu": model(BIG[0], BIG[1], BIG[0]), "wasm": model(BIG[1], names="other")}
    names = write_shared_weights(models.values(), tmp_path)
    assert len(names) == 1
    assert (tmp_path / names[0]).stat().st_size == 2 * BIG[0].nbytes


def test_tensors_of_equal_bytes_and_other_shapes_share_them_too(tmp_path: Path) -> None:
    flat, square = ir.Model(ir.Graph([], [], nodes=[]), ir_version=8), model(BIG[0])
    tensor = ir.tensor(BIG[0].reshape(-1), name="flat")
    flat.graph.register_initializer(ir.Value(name="flat", const_value=tensor))
    names = write_shared_weights([square, flat], tmp_path)
    assert (tmp_path / names[0]).stat().st_size == BIG[0].nbytes
    loaded = flat.graph.initializers["flat"].const_value
    assert loaded is not None
    np.testing.assert_array_equal(loaded.numpy(), BIG[0].reshape(-1))


def test_small_tensors_stay_in_their_graph(tmp_path: Path) -> None:
    assert write_shared_weights([model(weights(64), weights(1, 64))], tmp_path) == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("limit", [1, BIG[0].nbytes, 2 * BIG[0].nbytes + 100, 10**9])
def test_shards_keep_the_numbers_and_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: int) -> None:
    monkeypatch.setattr(sharing, "SHARD_BYTES", limit)
    original, x = model(*BIG), weights(64, 64, seed=9)
    ir.save(original, tmp_path / "original.onnx")
    graphs = write_graphs({"webgpu": original, "wasm": model(BIG[4], BIG[2])}, tmp_path / "model")
    for graph in graphs:
        for shard in graph.weights:
            assert (tmp_path / shard).stat().st_size <= max(limit, BIG[0].nbytes)
    np.testing.assert_array_equal(run(tmp_path / graphs[0].file, x), run(tmp_path / "original.onnx", x))
    np.testing.assert_array_equal(run(tmp_path / graphs[1].file, x), np.maximum(x + BIG[4] + BIG[2], 0))


def test_a_graph_names_only_the_shards_that_it_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharing, "SHARD_BYTES", BIG[0].nbytes)
    models: dict[TargetName, ir.Model] = {"webgpu": model(*BIG[:3]), "wasm": model(BIG[1])}
    webgpu, wasm = write_graphs(models, tmp_path / "model")
    assert len(webgpu.weights) == 3
    assert wasm.weights == [webgpu.weights[1]]


def test_equal_models_become_one_file(tmp_path: Path) -> None:
    models: dict[TargetName, ir.Model] = {"webgpu": model(BIG[0]), "wasm": model(BIG[0])}
    webgpu, wasm = write_graphs(models, tmp_path / "model")
    assert webgpu.file == wasm.file
    assert len(list((tmp_path / "model").iterdir())) == 2


def test_names_are_made_from_content_and_nothing_else_is_left(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        write_graphs({"webgpu": model(*BIG), "wasm": model(BIG[0])}, tmp_path / folder / "model")
    first, second = (sorted(p.name for p in (tmp_path / folder / "model").iterdir()) for folder in ("one", "two"))
    assert first == second
    assert all(name.endswith((".onnx", ".bin")) for name in first)


def test_every_tensor_begins_at_a_multiple_of_64_bytes(tmp_path: Path) -> None:
    big = model(BIG[0])
    big.graph.register_initializer(ir.Value(name="odd", const_value=ir.tensor(weights(17, 17), name="odd")))
    big.graph.register_initializer(ir.Value(name="next", const_value=ir.tensor(weights(32, 32), name="next")))
    write_shared_weights([big], tmp_path)
    for value in big.graph.initializers.values():
        assert isinstance(value.const_value, ir.ExternalTensor)
        assert (value.const_value.offset or 0) % 64 == 0


def test_the_nodes_for_the_cpu_are_named_for_webgpu_alone(tmp_path: Path) -> None:
    forced = model(BIG[0])
    forced.metadata_props[CPU_NODES_KEY] = '["/resize"]'
    webgpu, wasm = write_graphs({"webgpu": forced, "wasm": model(BIG[0])}, tmp_path / "model")
    assert (webgpu.cpu_nodes, wasm.cpu_nodes) == (["/resize"], [])


def test_a_later_graph_refers_to_what_an_earlier_one_wrote(tmp_path: Path) -> None:
    shared = SharedWeights(tmp_path / "model")
    (first,) = write_graphs({"wasm": model(BIG[0], BIG[1])}, tmp_path / "model", shared)
    before = {path.name: path.read_bytes() for path in (tmp_path / "model").glob("weights-*")}
    same, more = (
        write_graphs({"wasm": model(*arrays)}, tmp_path / "model", shared)[0]
        for arrays in ((BIG[1], BIG[0]), (BIG[0], BIG[2]))
    )
    assert same.weights == first.weights
    assert more.weights[0] == first.weights[0]
    (own,) = set(more.weights) - set(first.weights)
    assert (tmp_path / own).stat().st_size == BIG[2].nbytes
    assert before == {name: (tmp_path / "model" / name).read_bytes() for name in before}
    for graph, arrays in ((same, (BIG[1], BIG[0])), (more, (BIG[0], BIG[2]))):
        written = ir.load(tmp_path / graph.file).graph.initializers.values()
        for value, array in zip(written, arrays, strict=True):
            assert value.const_value is not None
            assert np.array_equal(value.const_value.numpy(), array)
