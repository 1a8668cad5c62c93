"""Detr."""
