"""Export the super-resolution network.

python -m models.super_resolution.export build/super-resolution/last.pt models/super-resolution/super-resolution.onnx
"""

from __future__ import annotations

import torch

from models import exporting
from models.super_resolution.network import FULL_SIZE, Clamped, SuperResolution

SIDE = 96
"""Side in pixels of the graph's input picture with fixed axes."""

FREE = {
    "image": {0: "batch", 2: "height", 3: "width"},
    "upscaled": {0: "batch", 2: "height_2", 3: "width_2"},
}


def main() -> None:
    """Read the command line and export."""
    options = exporting.arguments(__doc__).parse_args()
    torch.manual_seed(0)
    network = SuperResolution(**FULL_SIZE) if options.full_size else SuperResolution()
    exporting.weigh(network, options.checkpoint)
    side = 256 if options.full_size else SIDE
    exporting.export(Clamped(network).eval(), {"image": torch.rand(1, 3, side, side)}, ("upscaled",), options, FREE)


if __name__ == "__main__":
    main()
