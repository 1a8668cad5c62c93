"""The files that Dawn for Node runs: the engine, the worker of a page, and what makes Node a page's worker."""

from __future__ import annotations

from pathlib import Path

from webbuild import assets
from webbuild.browser.page_files import page_files
from webbuild.probe.engine import Engine
from webbuild.targets.target import Target


def laid(root: str) -> Engine:
    """Put the engine and what runs it into a folder. Returns the engine."""
    files = next(files for spec, files in assets.engine_files() if spec.build == "asyncify")
    engine = Engine(Target(assets.engine_version(), "webgpu"), *files)
    pages = page_files("webbuild.bisect", ("worker.js",), root)
    pages |= page_files("webbuild.precision.arithmetic", ("dawn.js",), root)
    for path, (_, data) in {**pages, **engine.served(root)}.items():
        Path(path).write_bytes(data)
    Path(f"{root}package.json").write_text('{"type": "module"}', "utf-8")
    return engine


def tiny() -> bytes:
    """Return a model of one node of float16, from `x` to `y`."""
    from onnx import TensorProto, helper

    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT16, [1]) for name in "xy")
    graph = helper.make_graph([helper.make_node("Neg", ["x"], ["y"])], "tiny", [x], [y])
    model: bytes = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=7
    ).SerializeToString()
    return model
