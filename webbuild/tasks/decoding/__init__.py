"""Outputs of a model into results, and the shapes that results have."""
