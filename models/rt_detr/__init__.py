"""Trains, exports and measures a narrow RT-DETR on drawn shapes."""
