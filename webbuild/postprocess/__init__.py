"""Postprocess."""
