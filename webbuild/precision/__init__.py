"""Float16: what a model may compute in it, what it costs, and in which arithmetic that was measured."""
