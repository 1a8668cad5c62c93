"""What passes ask about a graph: value ranges, uses, shapes, kernels."""
