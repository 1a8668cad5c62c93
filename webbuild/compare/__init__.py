"""Comparison of two results: array differences, tolerances, perturbations, and vacuous comparisons."""
