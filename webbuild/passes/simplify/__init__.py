"""Passes that remove no-ops and redundant nodes and fold constants."""
