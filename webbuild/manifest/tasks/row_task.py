"""Tasks whose output is rows of detections."""

from __future__ import annotations

from webbuild.manifest.tasks.detect import DetectTask
from webbuild.manifest.tasks.obb import ObbTask
from webbuild.manifest.tasks.pose import PoseTask
from webbuild.manifest.tasks.segment import SegmentTask

RowTask = DetectTask | PoseTask | SegmentTask | ObbTask
