"""Non-maximum suppression with fixed shapes, on the GPU."""
