"""An ONNX file: format, checks, external data, opset, signature, and the files next to it."""
