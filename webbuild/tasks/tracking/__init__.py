"""Object tracking: detections that keep their id across frames."""
