"""Post-processing and masks of DETR-like detectors."""
