"""Verification: run a bundle in a browser, and compare its results with native ONNX Runtime."""
