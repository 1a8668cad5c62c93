"""Trains, exports and measures a narrow Mask2Former on drawn shapes."""
