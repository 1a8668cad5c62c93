"""Equivalence of a candidate and a reference: comparison of runs, and its policies."""
