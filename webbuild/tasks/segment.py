"""Segment (instance segmentation): objects, their boxes and their masks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from webbuild.manifest.manifest import SegmentTask
from webbuild.model.signature import ModelSignature
from webbuild.runners.tensors import Tensors
from webbuild.tasks.decoding.detection import BOX_COLUMNS, Segment, count_classes, decode_box
from webbuild.tasks.decoding.mask import process_mask
from webbuild.tasks.kind.row_kind import RowKind
from webbuild.tasks.recognition import ultralytics
from webbuild.tasks.run_context import RunContext
from webbuild.tasks.task_match import TaskMatch
from webbuild.tasks.type_names import MASK_FUNCTIONS, MERGES, TRACK_FUNCTIONS, TypeNames


class SegmentKind(RowKind):
    """See `SegmentTask` for the layout of a row, and for the masks."""

    spec = SegmentTask
    page_template = "detections"
    description = "Finds things and the pixels of each"
    required_signature = (
        "the metadata of Ultralytics' exporter, rows with mask coefficients, and prototypes [1, coefficients, h, w]"
    )
    predicts_more = True

    def infer(self, signature: ModelSignature, *, requested: bool = False) -> TaskMatch | None:
        """Recognize Ultralytics' segmentation exports, with or without NMS, by their metadata."""
        return ultralytics.infer_segment(signature)

    def needed_outputs(self, task: SegmentTask) -> Sequence[str]:
        """Return the rows and the prototypes of their masks."""
        return (task.output, task.protos)

    def decode(self, task: SegmentTask, outputs: Tensors, context: RunContext) -> Sequence[Segment]:
        """Return the objects in `task.output` [1, rows, 6 + masks] with `task.protos` [1, masks, h, w], best first."""
        if (placement := context.placement) is None:
            return ()
        rows, protos = outputs[task.output][0], outputs[task.protos][0]
        return [
            Segment(*decode_box(task, row, placement), mask=process_mask(row[:4], row[BOX_COLUMNS:], protos, placement))
            for row in rows[rows[:, 4] > 0]
        ]

    def read_result(self, result: Mapping[str, Any]) -> Sequence[Segment]:
        """Return the objects, each with the bytes of its mask.

        Raises:
            ValueError: a mask's data does not fit its size, or has values other than 0 and 1.
        """
        segments = [
            {**each, "mask": {**each["mask"], "data": each["mask"]["data"].tobytes()}} for each in result["segments"]
        ]
        for mask in (each["mask"] for each in segments):
            if len(mask["data"]) != mask["columns"] * mask["rows"] or max(mask["data"], default=0) > 1:
                raise ValueError(
                    f"a mask of {mask['columns']} x {mask['rows']} has {len(mask['data'])} cells of 0 or 1"
                )
        return msgspec.convert(segments, list[Segment])

    def summary(self, task: SegmentTask, pictures: int) -> str:
        """Return what the model does."""
        return f"Finds {count_classes(task.classes)} and the pixels of each."

    def typescript(self, task: SegmentTask) -> TypeNames:
        """Return the names of the objects and of their classes."""
        functions = (*TRACK_FUNCTIONS, *MASK_FUNCTIONS)
        return TypeNames("segments", "Segment", task.classes, functions=functions, merges=MERGES)


TASK = SegmentKind()
