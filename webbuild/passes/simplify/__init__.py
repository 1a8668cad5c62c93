"""Nodes that do nothing, or that can be computed before."""
