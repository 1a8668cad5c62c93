"""Equivalence."""
