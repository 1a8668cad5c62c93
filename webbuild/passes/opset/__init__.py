"""Passes that convert the whole model to another opset."""
