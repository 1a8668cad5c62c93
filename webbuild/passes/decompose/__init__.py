"""Decompose."""
