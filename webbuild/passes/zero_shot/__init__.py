"""Passes for zero-shot classification."""
