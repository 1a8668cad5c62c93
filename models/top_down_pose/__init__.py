"""Training, export and measurement of a top-down pose network (one person per crop) on drawn people."""
