"""Reproduction of a finding: the smallest extracted model, its real inputs, and the expected outputs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.bisect.subgraph_runner import SubgraphRunner
from webbuild.subgraph.extract import Subgraph, extract_subgraphs, rename_node, subgraph_inputs, values_to_read


class Repro(Struct, frozen=True):
    """A model with plain names, its inputs, and the reference's outputs; `values` maps to the names in the graph."""

    model: onnx.ModelProto
    feeds: dict[str, NDArray[Any]]
    expected: dict[str, NDArray[Any]]
    values: dict[str, str]


def build_repro(runner: SubgraphRunner, piece: Subgraph) -> Repro:
    """Turn a piece into a model: inputs x0, x1..., outputs y0, y1..., nodes named by their index in the graph."""
    graph = runner.graph
    runner.reference.compute([*subgraph_inputs(graph, piece), *values_to_read(graph, piece)])
    extracted = extract_subgraphs(graph, [piece], runner.reference)
    names = {name: f"x{number}" for number, name in enumerate(extracted.feeds)}
    names |= {name: f"y{number}" for number, name in enumerate(extracted.outputs[0])}
    names |= {tensor.name: f"w{number}" for number, tensor in enumerate(extracted.model.graph.initializer)}
    inner = dict.fromkeys(name for node in extracted.model.graph.node for name in node.output if name)
    names |= {name: f"t{number}" for number, name in enumerate(inner) if name not in names}
    wanted = {names[name]: np.asarray(runner.reference[value]) for name, value in extracted.outputs[0].items()}
    model = _with_plain_names(extracted.model, names)
    del model.graph.output[:]
    for name, array in wanted.items():
        kind = onnx.helper.np_dtype_to_tensor_dtype(array.dtype)
        model.graph.output.append(onnx.helper.make_tensor_value_info(name, kind, array.shape))
    return Repro(
        model,
        {names[name]: np.asarray(runner.reference[value]) for name, value in extracted.feeds.items()},
        wanted,
        {names[name]: value for name, value in (*extracted.feeds.items(), *extracted.outputs[0].items())},
    )


def write_repro(repro: Repro, folder: Path) -> None:
    """Write `repro.onnx`, and its tensors to `test_data_set_0`, in the format of ONNX's backend tests."""
    data = folder / "test_data_set_0"
    data.mkdir(parents=True)
    (folder / "repro.onnx").write_bytes(repro.model.SerializeToString())
    for kind, arrays in (("input", repro.feeds), ("output", repro.expected)):
        for number, (name, array) in enumerate(arrays.items()):
            tensor = onnx.numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape), name)
            (data / f"{kind}_{number}.pb").write_bytes(tensor.SerializeToString())


def _with_plain_names(model: onnx.ModelProto, names: Mapping[str, str]) -> onnx.ModelProto:
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    copy.producer_name = "webbuild"
    copy.graph.name = "repro"
    for value in copy.graph.input:
        value.name = names[value.name]
    for tensor in copy.graph.initializer:
        tensor.name = names[tensor.name]
    del copy.graph.node[:]
    copy.graph.node.extend(
        rename_node(node, names, node.name if node.op_type != "Constant" else "") for node in model.graph.node
    )
    return copy
