"""Passes that make data-dependent or free dimensions static."""
