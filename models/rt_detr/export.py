"""Export RT-DETR with its post-processing in the graph, as users do.

python -m models.rt_detr.export build/rt-detr/last.pt models/rt-detr/rt-detr.onnx
"""

from __future__ import annotations

import torch

from models import exporting
from models.companion_files import preprocessor, write
from models.rt_detr.network import SIDE, Deployed, network

OPSET = 16
OUTPUTS = ("labels", "boxes", "scores")
BATCHES = {name: {0: "N"} for name in ("images", "orig_target_sizes", *OUTPUTS)}


def main() -> None:
    """Read the command line and export."""
    parser = exporting.arguments(__doc__, OPSET, "free")
    parser.add_argument("--version", type=int, choices=[1, 2], default=1)
    options = parser.parse_args()
    torch.manual_seed(0)
    detector = exporting.weigh(network(options.version, full_size=options.full_size), options.checkpoint)
    side = 640 if options.full_size else SIDE
    inputs = {"images": torch.rand(1, 3, side, side), "orig_target_sizes": torch.tensor([[side, side]])}
    exporting.export(Deployed(detector), inputs, OUTPUTS, options, BATCHES, OPSET)
    if not options.full_size:
        known = preprocessor("RTDetrImageProcessor", SIDE, SIDE, normalized=False)
        write(options.onnx.parent, detector.config.to_diff_dict(), known)


if __name__ == "__main__":
    main()
