"""Cutting a subgraph out of a model, and recording the activations at its edges."""
