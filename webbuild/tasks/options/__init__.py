"""The user's options about a model: sizes, batches, free dimensions, labels, preprocessing."""
