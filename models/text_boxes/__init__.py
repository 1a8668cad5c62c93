"""The reference for text boxes: PaddleOCR's post-processing, on OpenCV and pyclipper."""
