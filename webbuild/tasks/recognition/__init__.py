"""Recognize known models by their inputs, outputs, metadata and the files next to them."""
