"""Comparison of predictions, quantity by quantity."""
