"""Export the matting network, with the names of robust video matting.

python -m models.video_matting.export build/video-matting/last.pt models/video-matting/video-matting.onnx
"""

from __future__ import annotations

import torch

from models import exporting
from models.video_matting.clips import HEIGHT, WIDTH
from models.video_matting.network import FULL_SIZE, Matting, Width, nothing

STATES = ("r1", "r2", "r3", "r4")
OUTPUTS = ("fgr", "pha", *(f"{name}o" for name in STATES))
FREE = {
    "src": {0: "batch_size", 2: "height", 3: "width"},
    "fgr": {0: "batch_size", 2: "height", 3: "width"},
    "pha": {0: "batch_size", 2: "height", 3: "width"},
    **{f"{name}i": {0: "batch_size", 1: "channels", 2: "height", 3: "width"} for name in STATES},
    **{f"{name}o": {0: "batch_size", 2: "height", 3: "width"} for name in STATES},
}


def main() -> None:
    """Read the command line and export."""
    options = exporting.arguments(__doc__).parse_args()
    torch.manual_seed(0)
    width = FULL_SIZE if options.full_size else Width()
    network = exporting.weigh(Matting(width), options.checkpoint)
    size = (1080, 1920) if options.full_size else (HEIGHT, WIDTH)
    frame = torch.rand(1, 3, *size)
    state = nothing() if options.axes == "free" else network.matte(frame, nothing())[2]
    inputs = {"src": frame, **{f"{name}i": one for name, one in zip(STATES, state, strict=True)}}
    exporting.export(network, inputs, OUTPUTS, options, FREE)


if __name__ == "__main__":
    main()
