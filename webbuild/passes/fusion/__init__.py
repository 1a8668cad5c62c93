"""Fewer kernels for the same numbers: what the engine does not fuse, or only after it is too late."""
