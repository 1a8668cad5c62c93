"""A zoo of small ONNX exports with random weights: typical exports, and their versions after common tools."""
