"""Measures the kernels of an onnxruntime-web build: one-node models, run in a browser and compared with native."""
