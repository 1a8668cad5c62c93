"""webbuild takes an ONNX model that runs somewhere and makes it run, with the same answers, on WebGPU."""

__version__ = "0.1.0"
