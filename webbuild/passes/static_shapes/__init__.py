"""Static_shapes."""
