"""Training, export and measurement of a narrow Mask2Former on drawn shapes."""
