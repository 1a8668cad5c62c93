"""Running a bundle in a browser, and judging its answers against native ONNX Runtime."""
