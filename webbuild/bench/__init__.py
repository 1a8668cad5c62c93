"""Measuring what a bundle costs in a browser: bytes, time to a first result, the time of a frame, memory."""
