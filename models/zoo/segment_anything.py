"""Mask decoders of Segment Anything with few channels, with the inputs and outputs of their exporters.

`sam1-*` and `edge-sam-*` have the form of SAM's own exporter, samexporter and EdgeSAM, `sam2-*` of samexporter.
`sam2-hub-*`, `sam3-tracker-*` and `edge-tam-*` have the form that transformers.js reads; SAM in this form is `sam-*`
in `transformers_vision`. Encoders are in `segment_anything_encoders`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import nn

from models.zoo.recipe import Base, Example
from models.zoo.segment_anything_networks import CELLS, SIDE, SIDE_3, WIDTH, edge_tam, sam, sam2, sam3_tracker
from models.zoo.weights import enliven

MASK = 4 * CELLS
CLICKS = torch.tensor([[[40.0, 70.0], [90.0, 30.0], [0.0, 0.0]]])
LABELS = torch.tensor([[1.0, 0.0, -1.0]])


class Decoder(nn.Module):
    """A mask decoder for clicks, box corners and an earlier mask."""

    def __init__(self, network: Any, *, pads: bool, side: int = SIDE) -> None:
        super().__init__()
        self.network, self.pads, self.side = network, pads, side

    def embed(self, points: Any, labels: Any) -> Any:
        """Return a vector for each of the points [1, n, 2] with labels [1, n], and for a padding point."""
        if self.pads:
            points = torch.cat([points, torch.zeros_like(points[:, :1])], 1)
            labels = torch.cat([labels, -torch.ones_like(labels[:, :1])], 1)
        encoder, known = self.network.prompt_encoder, labels[..., None]
        found = encoder.shared_embedding((points + 0.5)[:, None] / self.side)[:, 0]
        found = found * (known != -1) + encoder.not_a_point_embed.weight * (known == -1)
        table = encoder.point_embed
        for label in range(4):
            weight = table[label].weight if isinstance(table, nn.ModuleList) else table.weight[label]
            found = found + weight * (known == label)
        return found[:, None]

    def masks(self, embeddings: Any, sparse: Any, dense: Any) -> Any:
        """Return the logits [1, 1, masks, h, w] and their scores."""
        given = {
            "image_positional_embeddings": self.network.get_image_wide_positional_embeddings(),
            "sparse_prompt_embeddings": sparse, "dense_prompt_embeddings": dense, "multimask_output": True,
        }  # fmt: skip
        *details, last = embeddings
        more = {"high_resolution_features": details} if details else {}
        return self.network.mask_decoder(image_embeddings=last, **given, **more)[:2]

    def dense(self, mask: Any, has_mask: Any) -> Any:
        """Return the embedding of an earlier mask, or of no mask."""
        encoder = self.network.prompt_encoder
        none = encoder.no_mask_embed.weight.reshape(1, -1, 1, 1)
        return none if mask is None else has_mask * encoder.mask_embed(mask) + (1 - has_mask) * none

    def forward(self, embedding: Any, *rest: Any) -> Any:
        """Return SAM's outputs: masks over the picture, scores, logits."""
        points, labels, mask, has_mask, size = rest
        logits, scores = self.masks([embedding], self.embed(points, labels), self.dense(mask, has_mask))
        scale = SIDE / size.max()
        drawn = torch.floor(scale * size + 0.5).long()
        masks = nn.functional.interpolate(logits[:, 0], (SIDE, SIDE), mode="bilinear")
        masks = masks[..., : drawn[0], : drawn[1]]
        whole = size.long()
        masks = nn.functional.interpolate(masks, (whole[0], whole[1]), mode="bilinear")
        return masks, scores[:, 0], logits[:, 0]


class EdgeDecoder(Decoder):
    """EdgeSAM's decoder: no earlier mask as input, scores as the first output."""

    def forward(self, embedding: Any, *rest: Any) -> Any:
        """Return scores and logits."""
        points, labels = rest
        logits, scores = self.masks([embedding], self.embed(points, labels), self.dense(None, None))
        return scores[:, 0], logits[:, 0]


class Sam2Decoder(Decoder):
    """SAM 2's decoder as exported by samexporter."""

    def forward(self, embedding: Any, *rest: Any) -> Any:
        """Return logits and scores."""
        first, second, points, labels, mask, has_mask = rest
        dense = self.dense(mask, has_mask)
        logits, scores = self.masks([first, second, embedding], self.embed(points, labels), dense)
        return logits[:, 0].clamp(-32, 32), scores[:, 0]


class HubDecoder(Decoder):
    """SAM 2's decoder in transformers: points, and no or one box as another input."""

    def forward(self, embedding: Any, *rest: Any) -> Any:
        """Return scores, logits and the object score."""
        labels, boxes, *images = rest
        corners = boxes.reshape(1, -1, 2)
        edges = torch.tensor([[2, 3]]).expand(boxes.shape[1], 2).reshape(1, -1)
        points = torch.cat([embedding[:, 0], corners], 1)
        sparse = self.embed(points, torch.cat([labels[:, 0], edges], 1))
        given = self.network.mask_decoder(
            image_embeddings=images[2], image_positional_embeddings=self.network.get_image_wide_positional_embeddings(),
            sparse_prompt_embeddings=sparse, dense_prompt_embeddings=self.dense(None, None), multimask_output=True,
            high_resolution_features=images[:2],
        )  # fmt: skip
        return given[1], given[0], given[3]


def example(
    network: nn.Module, inputs: dict[str, torch.Tensor], outputs: list[str], free: dict[str, dict[int, str]]
) -> Example:
    """Return a network with realistic random weights, and its inputs."""
    return Example(enliven(network, tuple(inputs.values())), inputs, outputs, free)


def embeddings(*names: str) -> dict[str, torch.Tensor]:
    """Return an encoder's outputs: with several names, also the high-resolution features of SAM 2."""
    made = [torch.randn(1, WIDTH, CELLS, CELLS)]
    if len(names) == 3:
        made = [torch.randn(1, WIDTH >> 3 - level, MASK >> level, MASK >> level) for level in (0, 1)] + made
    return dict(zip(names, made, strict=True))


def prompt() -> tuple[dict[str, torch.Tensor], dict[str, dict[int, str]]]:
    """Return clicks and their dynamic axes."""
    return {"point_coords": CLICKS, "point_labels": LABELS}, {
        "point_coords": {1: "num_points"},
        "point_labels": {1: "num_points"},
    }


def earlier() -> dict[str, torch.Tensor]:
    """Return an earlier mask."""
    return {"mask_input": torch.randn(1, 1, MASK, MASK), "has_mask_input": torch.ones(1)}


def sam_decoder() -> Example:
    """Return the decoder of SAM's own exporter."""
    clicks, free = prompt()
    size = {"orig_im_size": torch.tensor([96.0, 128.0])}
    inputs = embeddings("image_embeddings") | clicks | earlier() | size
    network = Decoder(sam(4), pads=False)
    return example(network, inputs, ["masks", "iou_predictions", "low_res_masks"], free)


def edge_sam_decoder() -> Example:
    """Return EdgeSAM's decoder."""
    clicks, free = prompt()
    inputs = embeddings("image_embeddings") | clicks
    return example(EdgeDecoder(sam(4), pads=False), inputs, ["scores", "masks"], free)


def sam2_decoder() -> Example:
    """Return samexporter's decoder of SAM 2."""
    clicks, free = prompt()
    details = embeddings("high_res_feats_0", "high_res_feats_1", "image_embed")
    inputs = {"image_embed": details.pop("image_embed")} | details | clicks | earlier()
    return example(Sam2Decoder(sam2(), pads=True), inputs, ["masks", "iou_predictions"], free)


def hub_points() -> tuple[dict[str, torch.Tensor], dict[str, dict[int, str]]]:
    """Return clicks in the shape of transformers, and their dynamic axes."""
    inputs = {"input_points": CLICKS[None, :, :2], "input_labels": torch.tensor([[[1, 0]]])}
    axes = {"input_points": {2: "nb_points_per_image"}, "input_labels": {2: "nb_points_per_image"}}
    return inputs, axes


def hub_decoder(network: Callable[[], Any], side: int) -> Example:
    """Return a decoder in the form that transformers.js reads."""
    clicks, free = hub_points()
    boxes = {"input_boxes": torch.tensor([[[20.0, 30.0, 90.0, 110.0]]])}
    inputs = clicks | boxes | embeddings(*(f"image_embeddings.{level}" for level in range(3)))
    outputs = ["iou_scores", "pred_masks", "object_score_logits"]
    return example(
        HubDecoder(network(), pads=True, side=side), inputs, outputs, free | {"input_boxes": {1: "num_boxes"}}
    )


BASES = {
    "sam1-decoder": Base(sam_decoder, "ts17-free"),
    "edge-sam-decoder": Base(edge_sam_decoder, "ts17-free"),
    "sam2-decoder": Base(sam2_decoder, "ts17-free"),
    "sam2-hub-decoder": Base(partial(hub_decoder, sam2, SIDE), "ts17-free"),
    "sam3-tracker-decoder": Base(partial(hub_decoder, sam3_tracker, SIDE_3), "ts17-free"),
    "edge-tam-decoder": Base(partial(hub_decoder, edge_tam, SIDE), "ts17-free"),
}
