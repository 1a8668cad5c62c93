"""Import Ultralytics without downloads or telemetry."""

import os

os.environ["YOLO_OFFLINE"] = "1"
os.environ["YOLO_AUTOINSTALL"] = "0"

from models import torchvision_cpu

if not torchvision_cpu.binaries_load():
    LIBRARY = torchvision_cpu.declare_operators()
    torchvision_cpu.allow_operators()

from ultralytics.models import YOLO

__all__ = ["YOLO"]
