"""Picture encoders of Segment Anything, for the decoders of `segment_anything`.

`sam1-*` have the form of samexporter, `sam1-raw-*` with `--use-preprocess`, `sam2-*` are its exports of SAM 2.
`sam2-hub-*`, `sam3-tracker-*` and `edge-tam-*` have the form that transformers.js reads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from models.zoo.examples import photo, picture
from models.zoo.recipe import Base, Example
from models.zoo.segment_anything_networks import SIDE, SIDE_3, MobileEncoder, edge_tam, sam, sam2, sam3_tracker
from models.zoo.weights import enliven

MEAN, DEVIATION = (123.675, 116.28, 103.53), (58.395, 57.12, 57.375)
HUB_LEVELS = [f"image_embeddings.{level}" for level in range(3)]


class Encoder(nn.Module):
    """The embedding of a picture, or its three levels."""

    def __init__(self, network: Any) -> None:
        super().__init__()
        self.network = network

    def forward(self, pixels: Any) -> Any:
        """Return the decoder's inputs."""
        found = self.network.get_image_embeddings(pixels)
        return tuple(found) if isinstance(found, list) else found


class RawPictures(nn.Module):
    """An encoder of pixels of 0 to 255, [height, width, 3], which normalizes them and pads them to a square."""

    def __init__(self, encoder: nn.Module) -> None:
        super().__init__()
        self.encoder = encoder
        self.mean, self.deviation = torch.tensor(MEAN), torch.tensor(DEVIATION)

    def forward(self, pixels: Any) -> Any:
        """Return the embedding."""
        planes = ((pixels - self.mean) / self.deviation).permute(2, 0, 1)
        height, width = planes.shape[-2:]
        return self.encoder(functional.pad(planes, (0, SIDE - width, 0, SIDE - height))[None])


def hub_encoder(network: Callable[[], Any], side: int) -> Example:
    """Return an encoder in the form that transformers.js reads."""
    free = {name: {0: "batch_size"} for name in ("pixel_values", *HUB_LEVELS)}
    return _example(Encoder(network()), {"pixel_values": photo(side)}, HUB_LEVELS, free)


def sam2_encoder() -> Example:
    """Return samexporter's encoder of SAM 2."""
    return _example(Encoder(sam2()), {"image": photo(SIDE)}, ["high_res_feats_0", "high_res_feats_1", "image_embed"])


def sam_encoder(network: Callable[[], nn.Module]) -> Example:
    """Return samexporter's encoder of SAM."""
    return _example(network(), {"input_image": photo(SIDE)}, ["image_embeddings"])


def raw_encoder() -> Example:
    """Return samexporter's encoder of SAM with `--use-preprocess`."""
    pixels = {"input_image": picture(SIDE)[0].permute(1, 2, 0).contiguous() * 255}
    free = {"input_image": {0: "image_height", 1: "image_width"}}
    return _example(RawPictures(Encoder(sam(4))), pixels, ["image_embeddings"], free)


def _example(
    network: nn.Module, inputs: dict[str, Any], outputs: Sequence[str], free: dict[str, dict[int, str]] | None = None
) -> Example:
    return Example(enliven(network, tuple(inputs.values())), inputs, outputs, free or {})


BASES = {
    "sam1-encoder": Base(partial(sam_encoder, lambda: Encoder(sam(4)))),
    "sam1-raw-encoder": Base(raw_encoder, "ts17-free ts17"),
    "mobile-sam-encoder": Base(partial(sam_encoder, MobileEncoder), "ts17", "slim"),
    "sam2-encoder": Base(sam2_encoder, "ts17", "sim"),
    "sam2-hub-encoder": Base(partial(hub_encoder, sam2, SIDE), "ts17-free"),
    "sam3-tracker-encoder": Base(partial(hub_encoder, sam3_tracker, SIDE_3), "ts17-free"),
    "edge-tam-encoder": Base(partial(hub_encoder, edge_tam, SIDE), "ts17-free"),
}
