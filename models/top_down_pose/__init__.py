"""Trains, exports and measures a network that finds the key points of one person in a crop, on drawn people."""
