"""A minimal model that takes clicks, with the inputs and outputs of SAM's own exporter."""

from __future__ import annotations

from pathlib import Path

from tests.models import HEADER
from tests.stages import stage

ENCODER = f"""{HEADER}
encoder (float[1,3,64,64] input_image) => (float[1,8,4,4] image_embeddings)
{{
  quartered = Conv <kernel_shape = [8, 8], strides = [8, 8]> (input_image, w4)
  embedding = Conv <kernel_shape = [2, 2], strides = [2, 2]> (quartered, w5)
  image_embeddings = HardSwish (embedding)
}}
"""
RAW_ENCODER = f"""{HEADER}
encoder (float[high,wide,3] input_image) => (float[1,8,4,4] image_embeddings)
{{
  mean = Constant <value_floats = [123.675, 116.28, 103.53]> ()
  deviation = Constant <value_floats = [58.395, 57.12, 57.375]> ()
  centred = Sub (input_image, mean)
  normal = Div (centred, deviation)
  planes = Transpose <perm = [2, 0, 1]> (normal)
  first = Constant <value_ints = [0]> ()
  batch = Unsqueeze (planes, first)
  quartered = Conv <kernel_shape = [8, 8], strides = [8, 8]> (batch, w4)
  embedding = Conv <kernel_shape = [2, 2], strides = [2, 2]> (quartered, w5)
  image_embeddings = HardSwish (embedding)
}}
"""
"""With built-in normalization, for pixels without a batch axis and of any size."""
DECODER = f"""{HEADER}
decoder (float[1,8,4,4] image_embeddings, float[1,num_points,2] point_coords, float[1,num_points] point_labels,
         float[1,1,16,16] mask_input, float[1] has_mask_input, float[2] orig_im_size)
  => (float[1,4,high,wide] masks, float[1,4] iou_predictions, float[1,4,16,16] low_res_masks)
{{
  last = Constant <value_ints = [2]> ()
  labels = Unsqueeze (point_labels, last)
  weighed = Mul (point_coords, labels)
  axis = Constant <value_ints = [1]> ()
  clicked = ReduceSum <keepdims = 0> (weighed, axis)
  size = Constant <value_float = 64.0> ()
  prompt = Div (clicked, size)
  tokens = MatMul (prompt, w6)
  shape = Constant <value_ints = [1, 8, 1, 1]> ()
  factors = Reshape (tokens, shape)
  chosen = Mul (image_embeddings, factors)
  four = Conv <kernel_shape = [1, 1]> (chosen, w7)
  scales = Constant <value_floats = [1.0, 1.0, 4.0, 4.0]> ()
  grown = Resize <mode = "linear"> (four, , scales)
  earlier = Mul (mask_input, has_mask_input)
  low_res_masks = Add (grown, earlier)
  pooled = GlobalAveragePool (chosen)
  mixed = Conv <kernel_shape = [1, 1]> (pooled, w7)
  flat = Flatten (mixed)
  iou_predictions = Sigmoid (flat)
  kinds = Constant <value_ints = [1, 4]> ()
  whole = Cast <to = 7> (orig_im_size)
  sizes = Concat <axis = 0> (kinds, whole)
  masks = Resize <mode = "linear"> (low_res_masks, , , sizes)
}}
"""
ANSWERS = """  size = Constant <value_float = 64.0> ()
  prompt = Div (pointed, size)
  tokens = MatMul (prompt, w6)
  shape = Constant <value_ints = [-1, 8, 1, 1]> ()
  factors = Reshape (tokens, shape)
  chosen = Mul (image_embeddings, factors)
  four = Conv <kernel_shape = [1, 1]> (chosen, w7)
  scales = Constant <value_floats = [1.0, 1.0, 4.0, 4.0]> ()
  grown = Resize <mode = "linear"> (four, , scales)
  first = Constant <value_ints = [0]> ()
  pred_masks = Unsqueeze (grown, first)
  pooled = GlobalAveragePool (chosen)
  mixed = Conv <kernel_shape = [1, 1]> (pooled, w7)
  kinds = Constant <value_ints = [1, -1, 4]> ()
  flat = Reshape (mixed, kinds)
  iou_scores = Sigmoid (flat)
"""
"""A decoder in transformers' form, computed from the sum of the prompts, [objects, 2]."""
BOX_DECODER = f"""{HEADER}
decoder (float[1,8,4,4] image_embeddings, float[1,1,points,2] input_points, int64[1,1,points] input_labels,
         float[1,boxes,4] input_boxes)
  => (float[1,1,4] iou_scores, float[1,1,4,16,16] pred_masks)
{{
  last = Constant <value_ints = [3]> ()
  numbers = Cast <to = 1> (input_labels)
  labels = Unsqueeze (numbers, last)
  weighed = Mul (input_points, labels)
  two = Constant <value_ints = [1, 1, 2, 2]> ()
  corners = Reshape (input_boxes, two)
  given = Concat <axis = 2> (weighed, corners)
  axis = Constant <value_ints = [2]> ()
  pointed = ReduceSum <keepdims = 0> (given, axis)
{ANSWERS}}}
"""
"""SAM's decoder as transformers exports it, with a box input."""

OBJECTS_ENCODER = ENCODER.replace("float[1,3,64,64] input_image", "float[batch_size,3,64,64] input_image").replace(
    "float[1,8,4,4]", "float[batch_size,8,4,4]"
)
OBJECTS_DECODER = f"""{HEADER}
decoder (float[batch_size,8,4,4] image_embeddings, float[batch_size,objects,points,2] input_points,
         int64[batch_size,objects,points] input_labels)
  => (float[1,objects,4] iou_scores, float[1,objects,4,16,16] pred_masks)
{{
  last = Constant <value_ints = [3]> ()
  numbers = Cast <to = 1> (input_labels)
  labels = Unsqueeze (numbers, last)
  weighed = Mul (input_points, labels)
  axis = Constant <value_ints = [2]> ()
  pointed = ReduceSum <keepdims = 0> (weighed, axis)
{ANSWERS}}}
"""
"""SAM's decoder as transformers exports it: dynamic objects and points; the batch axis is named as in the encoder."""
MIXING_DECODER = OBJECTS_DECODER.replace(
    "  four = Conv",
    """  objects = Constant <value_ints = [0]> ()
  middle = ReduceMean (chosen, objects)
  moved = Add (chosen, middle)
  four = Conv""",
).replace("(chosen, w7)", "(moved, w7)")
"""An object's result depends on the other objects."""
ONE_OBJECT_DECODER = OBJECTS_DECODER.replace(
    "  four = Conv",
    """  one = Constant <value_ints = [1, 8, 4, 4]> ()
  moved = Reshape (chosen, one)
  four = Conv""",
).replace("(chosen, w7)", "(moved, w7)")
"""Its sizes are dynamic, and it runs with one object only, as samexporter's do."""


def objects_pair(folder: Path, decoder: str = OBJECTS_DECODER) -> tuple[Path, Path]:
    """Write an encoder and a decoder that takes clicks on several objects, with transformers' inputs and outputs."""
    return stage(OBJECTS_ENCODER, folder / "click_encoder.onnx"), stage(decoder, folder / "click_decoder.onnx")


def click_pair(folder: Path) -> tuple[Path, Path]:
    """Write the encoder and the decoder, which have the inputs and outputs of SAM's own exporter."""
    return stage(ENCODER, folder / "click_encoder.onnx"), stage(DECODER, folder / "click_decoder.onnx")
