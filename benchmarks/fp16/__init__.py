"""Operators and short chains in float16, through every backend there is: `python -m benchmarks.fp16 --write`."""
