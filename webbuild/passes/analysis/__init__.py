"""Analyses for passes: value ranges, uses, shapes, kernels."""
