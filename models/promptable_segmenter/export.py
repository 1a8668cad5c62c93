"""Export both halves of the promptable segmenter, the decoder with the names of Segment Anything's exporter.

python -m models.promptable_segmenter.export build/promptable-segmenter/last.pt models/promptable-segmenter/encoder.onnx
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from models import exporting
from models.companion_files import preprocessor, write
from models.promptable_segmenter.network import FINER, FULL_SIZE, STRIDE, Segmenter

DECODER = "decoder.onnx"
OUTPUTS = ("iou_predictions", "low_res_masks")
ENCODER_FREE = {"image": {0: "batch"}, "image_embeddings": {0: "batch"}}
DECODER_FREE = {"point_coords": {1: "num_points"}, "point_labels": {1: "num_points"}}
"""The number of clicks, which is dynamic in every export of Segment Anything."""


class Decoder(nn.Module):
    """The half that runs for every click."""

    def __init__(self, network: Segmenter) -> None:
        super().__init__()
        self.network = network

    def forward(
        self, image_embeddings: Tensor, point_coords: Tensor, point_labels: Tensor, mask_input: Tensor,
        has_mask_input: Tensor,
    ) -> tuple[Tensor, Tensor]:  # fmt: skip
        """See `Segmenter.decode`; one prompt, points in pixels of the encoder's input, a flag for the mask [1]."""
        has = has_mask_input.reshape(1, 1, 1, 1)
        quality, masks = self.network.decode(image_embeddings, point_coords, point_labels, mask_input, has)
        return quality, masks


def example(channels: int, side: int) -> dict[str, Tensor]:
    """Return inputs of the decoder: a click and a padding point."""
    cells = side // STRIDE
    return {
        "image_embeddings": torch.rand(1, channels, cells, cells),
        "point_coords": torch.tensor([[[side / 3, side / 2], [0.0, 0.0]]]),
        "point_labels": torch.tensor([[1.0, -1.0]]),
        "mask_input": torch.zeros(1, 1, FINER * cells, FINER * cells),
        "has_mask_input": torch.zeros(1),
    }


def main() -> None:
    """Read the command line and export."""
    options = exporting.arguments(__doc__).parse_args()
    torch.manual_seed(0)
    size = FULL_SIZE if options.full_size else {"side": 256, "channels": 64}
    network = exporting.weigh(Segmenter(**size), options.checkpoint)
    side, axes = size["side"], options.axes
    image = {"image": torch.rand(1, 3, side, side)}
    exporting.export(network.encoder, image, ("image_embeddings",), options, ENCODER_FREE)
    encoder, options.onnx, options.axes = options.onnx, options.onnx.with_name(DECODER), "free"
    exporting.export(Decoder(network).eval(), example(size["channels"], side), OUTPUTS, options, DECODER_FREE)
    options.onnx, options.axes = encoder, axes
    settings = preprocessor("SamImageProcessor", side, side)
    settings |= {"size": {"longest_edge": side}, "pad_size": {"height": side, "width": side}, "do_pad": True}
    write(encoder.parent, {"model_type": "sam"}, settings)


if __name__ == "__main__":
    main()
