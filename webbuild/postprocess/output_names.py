"""Names of the outputs that post-processing makes."""

from __future__ import annotations

DETECTIONS = "detections"
"""Name of the output that takes the place of the raw one."""
CLASS_MAPS = "class_maps"
"""Name of the output that takes the place of maps in another form."""
LABEL_SCORES = "label_scores"
"""Name of the output that takes the place of a picture's embedding."""
