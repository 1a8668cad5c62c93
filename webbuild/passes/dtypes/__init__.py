"""Element types that the GPU has no kernels for: float64, int64, int8, bool."""
