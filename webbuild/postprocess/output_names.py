"""Names of the outputs that postprocessing adds."""

from __future__ import annotations

DETECTIONS = "detections"
"""Name of the output that replaces a detector's raw outputs."""
CLASS_MAPS = "class_maps"
"""Name of the output that replaces class maps in another layout."""
LABEL_SCORES = "label_scores"
"""Name of the output that replaces a picture's embedding."""
