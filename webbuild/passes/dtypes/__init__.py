"""Passes for element types without GPU kernels: float64, int64, int8, bool."""
