"""Manifest."""
