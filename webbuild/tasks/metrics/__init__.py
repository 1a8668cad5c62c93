"""Comparisons of predictions, quantity by quantity."""
