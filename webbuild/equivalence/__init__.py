"""Equivalence of a candidate and a reference: the comparison engine and its policies."""
