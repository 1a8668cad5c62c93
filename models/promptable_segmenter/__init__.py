"""Training, export and measurement of a promptable segmenter (click to mask) on drawn scenes."""
