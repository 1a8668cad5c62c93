"""Tensors and bindings above the limits of WebGPU."""
