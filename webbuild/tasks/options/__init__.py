"""Options for a model: sizes, batches, free dimensions, labels, preprocessing."""
