"""Postprocessing and masks of DETR-like detectors."""
