"""Training, export and measurement of a narrow Grounding DINO on drawn shapes."""
