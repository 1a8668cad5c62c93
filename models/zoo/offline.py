"""Import Ultralytics with its settings in a temporary folder, and torchvision with a CPU build of PyTorch."""

import os
import tempfile

SETTINGS = tempfile.TemporaryDirectory()
os.environ["YOLO_CONFIG_DIR"] = SETTINGS.name
os.environ["YOLO_VERBOSE"] = "False"

from models.yolo_pose.offline import YOLO  # noqa: E402  reads where its settings are

__all__ = ["YOLO"]
