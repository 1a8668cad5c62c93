"""Extraction of a subgraph from a model, and the activations at its boundaries."""
