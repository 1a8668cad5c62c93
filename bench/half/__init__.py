"""Single operators and short chains in float16, through every arithmetic there is: `python -m bench.half --write`."""
