"""A zoo of small ONNX exports with random weights: what people export, and what tools make of it."""
