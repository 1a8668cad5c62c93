"""Another opset for the whole model."""
