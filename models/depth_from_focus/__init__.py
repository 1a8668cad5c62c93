"""Trains, exports and measures a network that reads depth from a focal stack."""
