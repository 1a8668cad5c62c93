"""Grounding DINO's loss: focal loss over the tokens of a phrase, and the boxes' distance and overlap.

Transformers' own loss has two bugs. From the third picture of a batch on, it reads the phrases of another picture. And
it does not train the selection of proposals, since it uses the queries' embeddings in their place.

Proposals are trained on every cell in the middle of an object, not on one match per object (`dense.py`). That gives
many more examples; the decoder learns to keep one of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional
from transformers.image_transforms import center_to_corners_format
from transformers.loss.loss_for_object_detection import generalized_box_iou
from transformers.loss.loss_grounding_dino import GroundingDinoHungarianMatcher, sigmoid_focal_loss

from models.grounding_dino import dense

CLASS, BOX, OVERLAP = 2.0, 5.0, 2.0


@dataclass(frozen=True)
class Target:
    """Ground truth of a picture: boxes [n, 4], relative centre and size, and the tokens [n, t] of each box.

    `phrases` [p, t] are the tokens of every phrase, `classes` [n] is the phrase of each box.
    """

    boxes: Tensor
    classes: Tensor
    phrases: Tensor


def one(logits: Tensor, boxes: Tensor, targets: list[Target], matcher: Any) -> Tensor:
    """Return the loss of one layer's `logits` [b, q, t], -inf at padding, and `boxes` [b, q, 4]."""
    finite = logits.masked_fill(torch.isinf(logits), -1e4)
    labels = [{"class_labels": target.classes, "boxes": target.boxes} for target in targets]
    found = {"logits": finite, "pred_boxes": boxes, "label_maps": tuple(target.phrases for target in targets)}
    indices = matcher(found, labels)
    wanted = torch.zeros_like(finite)
    for picture, (queries, things) in enumerate(indices):
        wanted[picture, queries] = targets[picture].phrases[targets[picture].classes[things]].to(wanted.dtype)
    count = max(1, sum(len(target.boxes) for target in targets))
    right = torch.cat([target.boxes[things] for target, (_, things) in zip(targets, indices, strict=True)])
    ours = torch.cat([boxes[picture, queries] for picture, (queries, _) in enumerate(indices)])
    return judged(logits, wanted, ours, right, count)


def judged(logits: Tensor, wanted: Tensor, ours: Tensor, right: Tensor, count: int) -> Tensor:
    """Return the focal loss of `logits` against `wanted` at real tokens, plus the loss of boxes [n, 4]."""
    tokens = ~torch.isinf(logits)
    loss: Tensor = CLASS * sigmoid_focal_loss(logits[tokens], wanted[tokens], count)
    if len(right):
        loss = loss + BOX * functional.l1_loss(ours, right, reduction="sum") / count
        overlap = generalized_box_iou(center_to_corners_format(ours), center_to_corners_format(right))
        loss = loss + OVERLAP * (1 - torch.diag(overlap)).sum() / count
    return loss


def proposed(logits: Tensor, boxes: Tensor, targets: list[Target], sides: list[int]) -> Tensor:
    """Return the loss of every cell's `logits` [b, cells, t] and `boxes` [b, cells, 4]; the maps have these `sides`."""
    wanted = torch.zeros_like(logits)
    ours, right = [], []
    for picture, target in enumerate(targets):
        places, things = dense.assigned(target.boxes, sides)
        wanted[picture, places] = target.phrases[target.classes[things]].to(wanted.dtype)
        ours.append(boxes[picture, places])
        right.append(target.boxes[things])
    gathered = torch.cat(right)
    return judged(logits, wanted, torch.cat(ours), gathered, max(1, len(gathered)))


def loss(detector: Any, inputs: dict[str, Tensor], targets: list[Target]) -> Tensor:
    """Run the network and add up the losses of its proposals and of every decoder layer."""
    kept: dict[str, Any] = {}
    hook = detector.model.register_forward_hook(lambda _module, _given, result: kept.update(outputs=result))
    try:
        found = detector(**inputs)
    finally:
        hook.remove()
    outputs = kept["outputs"]
    matcher = GroundingDinoHungarianMatcher(class_cost=CLASS, bbox_cost=BOX, giou_cost=OVERLAP)
    sides = dense.sides(inputs["pixel_values"].shape[-1])
    every = outputs.enc_outputs_coord_logits.sigmoid()
    total = proposed(outputs.enc_outputs_class, every, targets, sides)
    total = total + one(found.logits, found.pred_boxes, targets, matcher)
    mask = inputs["attention_mask"].bool()
    hidden, references = outputs.intermediate_hidden_states, outputs.intermediate_reference_points
    for layer in range(hidden.shape[1] - 1):
        before = outputs.init_reference_points if layer == 0 else references[:, layer - 1]
        logits = detector.class_embed[layer](hidden[:, layer], outputs.encoder_last_hidden_state_text, mask)
        boxes = (detector.bbox_embed[layer](hidden[:, layer]) + torch.special.logit(before, eps=1e-5)).sigmoid()
        total = total + one(logits, boxes, targets, matcher)
    return total
