"""Benchmark of a bundle in a browser: bytes, time to the first result, time per run, memory."""
