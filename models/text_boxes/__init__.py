"""What text boxes are compared with: PaddleOCR's post-processing, on OpenCV and pyclipper."""
