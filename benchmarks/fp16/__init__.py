"""Operators and short chains in float16 on every available backend: `python -m benchmarks.fp16 --write`."""
