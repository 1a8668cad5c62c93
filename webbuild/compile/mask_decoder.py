"""Mask decoders of Segment Anything, reduced to the outputs that the task reads and the prompt inputs."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from webbuild.model.load import OnnxModel
from webbuild.model.read_signature import read_signature
from webbuild.model.set_inputs import with_constants
from webbuild.tasks.recognition.sam_decoders import decoder_outputs, unused_inputs


def reduce_mask_decoder(source: OnnxModel, used_outputs: Collection[str]) -> OnnxModel:
    """Return a mask decoder without the outputs and inputs that no prompt needs; return other models unchanged.

        masks, iou_predictions, low_res_masks  ->  iou_predictions, low_res_masks
        orig_im_size, input_boxes              ->  constants

    The runtime computes masks of any picture size from the logits, and feeds a box as two corner points.
    """
    needed = decoder_outputs(source.signature)
    if needed is None or not set(used_outputs) <= set(needed):
        return source
    unused = unused_inputs(source.signature)
    dropped = [spec.name for spec in source.signature.outputs if spec.name not in needed]
    notes = [f"output '{name}' is left out: masks are computed from '{needed[0]}'" for name in dropped]
    notes += [f"input '{name}' is left out: no prompt needs it" for name in unused]
    reduced = with_constants(source, unused, notes)
    model = reduced.model
    for value in [each for each in model.graph.outputs if each.name in dropped]:
        model.graph.outputs.remove(value)
    known = read_signature(source.signature.file, model)
    return msgspec.structs.replace(reduced, signature=msgspec.structs.replace(reduced.signature, outputs=known.outputs))
