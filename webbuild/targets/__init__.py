"""Kernel tables of onnxruntime-web, measured in a browser: one for each version and build."""
