"""A mask decoder of Segment Anything, reduced to what the task reads: logits, their scores, and the prompt."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from webbuild.model.load import OnnxModel
from webbuild.model.model_signature import model_signature
from webbuild.model.set_inputs import with_constants
from webbuild.tasks.recognition.sam_decoders import decoder_outputs, unused_inputs


def reduce_mask_decoder(source: OnnxModel, taken: Collection[str]) -> OnnxModel:
    """Return a mask decoder without what no prompt needs; every other model, and one whose masks are `taken`, as it is.

        masks, iou_predictions, low_res_masks  ->  iou_predictions, low_res_masks
        orig_im_size, input_boxes              ->  constants

    Masks are made of the logits for a picture of any size, and the corners of a box are points.
    """
    kept = decoder_outputs(source.signature)
    if kept is None or not set(taken) <= set(kept):
        return source
    unused = unused_inputs(source.signature)
    dropped = [spec.name for spec in source.signature.outputs if spec.name not in kept]
    said = [f"output '{name}' is left out: masks are made of '{kept[0]}'" for name in dropped]
    said += [f"input '{name}' is left out: no prompt needs it" for name in unused]
    reduced = with_constants(source, unused, said)
    model = reduced.model
    for value in [each for each in model.graph.outputs if each.name in dropped]:
        model.graph.outputs.remove(value)
    known = model_signature(source.signature.file, model)
    return msgspec.structs.replace(reduced, signature=msgspec.structs.replace(reduced.signature, outputs=known.outputs))
