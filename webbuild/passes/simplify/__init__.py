"""Simplify."""
