"""What the user chooses of a model: sizes, batches, free dimensions, labels, pre-processing."""
