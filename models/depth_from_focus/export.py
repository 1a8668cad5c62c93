"""Export the network that estimates depth from a focal stack.

python -m models.depth_from_focus.export build/depth-from-focus/last.pt models/depth-from-focus/depth-from-focus.onnx
"""

from __future__ import annotations

import torch

from models import exporting
from models.companion_files import preprocessor, write
from models.depth_from_focus.network import FULL_SIZE, DepthFromFocus, Width
from models.scenes import dataset, focal

OUTPUTS = ("depth", "confidence")
BATCHES = {name: {0: "batch"} for name in ("focal_stack", "focus_distances", *OUTPUTS)}


def main() -> None:
    """Read the command line and export."""
    options = exporting.arguments(__doc__).parse_args()
    torch.manual_seed(0)
    network = exporting.weigh(DepthFromFocus(FULL_SIZE if options.full_size else Width()), options.checkpoint)
    height, width = (384, 512) if options.full_size else dataset.STACK
    distances = torch.tensor([focal.FOCUS_DISTANCES])
    inputs = {"focal_stack": torch.randn(1, distances.shape[1], 3, height, width), "focus_distances": distances}
    exporting.export(network, inputs, OUTPUTS, options, BATCHES)
    if not options.full_size:
        told = {"depth_unit": "metres", "min_depth": focal.NEAREST, "max_depth": focal.FARTHEST}
        told |= {"focus_distances": list(focal.FOCUS_DISTANCES)}
        write(options.onnx.parent, told, preprocessor("DepthFromFocusImageProcessor", height, width))


if __name__ == "__main__":
    main()
