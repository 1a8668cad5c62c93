"""Run models with native ONNX Runtime: sessions, limits, memory and cached outputs."""
