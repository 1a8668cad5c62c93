"""Training, export and measurement of a small network that doubles the size of drawings."""
