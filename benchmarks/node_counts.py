"""How many nodes a model has, as it is and after this and other tools."""

from __future__ import annotations

from pathlib import Path

import onnx

from webbuild.manifest import manifest


def count_nodes(model: Path, bundle: Path) -> dict[str, int]:
    """Return nodes by tool: the model's own, the bundle's graphs', and those left by onnxsim and OnnxSlim."""
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
