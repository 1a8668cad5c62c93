"""Training, export and measurement of a narrow RT-DETR on drawn shapes."""
