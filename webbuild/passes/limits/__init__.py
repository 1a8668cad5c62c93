"""Passes that split tensors and bindings above WebGPU's limits."""
