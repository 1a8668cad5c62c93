"""Chromium, the static server on loopback, and the connection between a page and Python."""
