"""Training, export and measurement of a narrow YOLO11-pose on drawn people."""
