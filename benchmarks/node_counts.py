"""The number of nodes of a model, as exported and after webbuild and other tools."""

from __future__ import annotations

from pathlib import Path

import onnx

from webbuild.manifest import manifest


def count_nodes(model: Path, bundle: Path) -> dict[str, int]:
    """Return node counts by tool: the export's, the bundle's graphs', and after onnxsim and OnnxSlim."""
    import onnxsim
    import onnxslim

    original = onnx.load(model)
    simplified, proven = onnxsim.simplify(original)
    if not proven:
        raise RuntimeError("onnxsim says that its own result differs")
    packed = manifest.decode((bundle / "manifest.json").read_bytes())
    return {
        "as exported": len(original.graph.node),
        **{f"webbuild, {graph.target}": graph.nodes for graph in packed.graphs},
        "onnxsim": len(simplified.graph.node),
        "OnnxSlim": len(onnxslim.slim(onnx.load(model)).graph.node),
    }
