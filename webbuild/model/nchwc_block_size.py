"""The number of channels in a block of ONNX Runtime's NCHWc layout, on this machine."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path


@cache
def nchwc_block_size() -> int:
    """Return the block size of native ONNX Runtime on this CPU: 8 or 16 channels; 1 without NCHWc.

    No API returns it. So a Conv of 4 channels is optimized, and the size of its padded weights is read.
    """
    import onnx
    import onnxruntime

    model = onnx.parser.parse_model(
        '<ir_version: 8, opset_import: ["" : 17]> g (float[1,3,4,4] x) => (float[1,4,4,4] y) { '
        "shape = Constant <value_ints = [4, 3, 1, 1]> () w = ConstantOfShape (shape) y = Conv (x, w) }"
    )
    with tempfile.TemporaryDirectory() as folder:
        options = onnxruntime.SessionOptions()
        options.optimized_model_filepath = str(Path(folder, "optimized.onnx"))
        options.log_severity_level = 4
        onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])
        graph = onnx.load(options.optimized_model_filepath).graph
    blocked = {name for node in graph.node if node.domain == "com.microsoft.nchwc" for name in node.input}
    return next((int(tensor.dims[0]) for tensor in graph.initializer if tensor.name in blocked), 1)
