"""Outputs of segmentation models in the form that the runtime reads."""
