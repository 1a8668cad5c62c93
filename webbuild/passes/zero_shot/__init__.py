"""Passes for classification by words."""
