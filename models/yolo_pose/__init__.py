"""Trains, exports and measures a narrow YOLO11-pose on drawn people."""
