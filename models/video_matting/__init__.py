"""Draws clips of people in front of moving places; trains, exports and measures a matting network that remembers."""
