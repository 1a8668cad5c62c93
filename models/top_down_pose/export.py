"""Export the top-down pose network, with the names of RTMPose.

python -m models.top_down_pose.export build/top-down-pose/last.pt models/top-down-pose/top-down-pose.onnx
"""

from __future__ import annotations

import torch

from models import exporting
from models.companion_files import preprocessor, write
from models.top_down_pose.crops import HEIGHT, WIDTH
from models.top_down_pose.network import FULL_SIZE, TopDownPose

OUTPUTS = ("simcc_x", "simcc_y")
FREE = {name: {0: "batch"} for name in ("input", *OUTPUTS)}


def main() -> None:
    """Read the command line and export."""
    options = exporting.arguments(__doc__, axes="free").parse_args()
    torch.manual_seed(0)
    network = TopDownPose(**FULL_SIZE) if options.full_size else TopDownPose()
    exporting.weigh(network, options.checkpoint)
    height, width = FULL_SIZE["size"] if options.full_size else (HEIGHT, WIDTH)
    exporting.export(network, {"input": torch.rand(1, 3, height, width)}, OUTPUTS, options, FREE)
    write(options.onnx.parent, {"model_type": "rtmpose"}, preprocessor("ImageProcessor", height, width))


if __name__ == "__main__":
    main()
