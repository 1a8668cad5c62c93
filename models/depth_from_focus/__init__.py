"""Training, export and measurement of a network that estimates depth from a focal stack."""
