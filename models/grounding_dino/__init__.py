"""Trains, exports and measures a narrow Grounding DINO on drawn shapes."""
