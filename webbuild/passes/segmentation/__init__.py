"""Passes that convert outputs of segmentation models to the form that the runtime reads."""
