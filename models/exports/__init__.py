"""The small exports that the tests rewrite: one of every head, by the exporters that people use."""
