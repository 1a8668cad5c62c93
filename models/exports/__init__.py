"""The small exports that the tests rewrite: one of every head, by common exporters."""
