"""webbuild makes ONNX models run on WebGPU in the browser, with the same results as natively."""

__version__ = "0.1.0"
