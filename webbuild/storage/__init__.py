"""Weights stored as whole numbers with scales, and turned back to the floats that a graph computes with."""
