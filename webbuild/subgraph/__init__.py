"""Subgraph."""
