"""Dtypes."""
