"""Running a model in a process of this machine: ONNX Runtime, its limits and its memory."""
