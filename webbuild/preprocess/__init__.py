"""Preprocess."""
