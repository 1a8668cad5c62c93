"""Trains, exports and measures a promptable segmenter, which is clicked at, on drawn scenes."""
