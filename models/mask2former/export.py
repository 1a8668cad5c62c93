"""Export Mask2Former.

python -m models.mask2former.export build/mask2former/last.pt models/mask2former-swin/mask2former.onnx
"""

from __future__ import annotations

from models import exporting
from models.companion_files import preprocessor, write
from models.mask2former.network import Deployed, network
from models.scenes.names import CATEGORIES, STUFF
from models.swin import SIDE

# isort: split
import torch

OUTPUTS = ("class_queries_logits", "masks_queries_logits")
BATCHES = {name: {0: "batch_size"} for name in ("pixel_values", *OUTPUTS)}


def main() -> None:
    """Read the command line and export."""
    options = exporting.arguments(__doc__, axes="free").parse_args()
    torch.manual_seed(0)
    segmenter = exporting.weigh(network(full_size=options.full_size), options.checkpoint)
    side = 512 if options.full_size else SIDE
    exporting.export(Deployed(segmenter), {"pixel_values": torch.randn(1, 3, side, side)}, OUTPUTS, options, BATCHES)
    if not options.full_size:
        stuff = [CATEGORIES.index(name) for name in STUFF]
        known = preprocessor("Mask2FormerImageProcessor", SIDE, SIDE) | {"label_ids_to_fuse": stuff}
        write(options.onnx.parent, segmenter.config.to_diff_dict(), known)


if __name__ == "__main__":
    main()
