"""Predictions of `webbuild inspect` compared with measurements."""
