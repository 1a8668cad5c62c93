"""Trains, exports and measures a small network that doubles the size of drawings."""
