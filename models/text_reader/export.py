"""Export the detector as `det.onnx` or the recognizer as `rec.onnx`, with PP-OCR's names, and its dictionary.

python -m models.text_reader.export build/text-detector/last.pt models/text-reader/det.onnx
python -m models.text_reader.export build/text-recognizer/last.pt models/text-reader/rec.onnx
"""

from __future__ import annotations

import torch

from models import exporting
from models.text_reader import detector, recognizer
from models.text_reader.crops import HEIGHT
from models.text_reader.words import CHARACTERS

SIDE = 320
"""Width, and height of a page, in pixels, with fixed axes."""

MAP = {0: "batch", 2: "height", 3: "width"}
LINE = {0: "batch", 3: "line_width"}


def main() -> None:
    """Read the command line and export the network that the file's name implies."""
    options = exporting.arguments(__doc__, axes="free").parse_args()
    torch.manual_seed(0)
    if options.onnx.stem == "det":
        network: torch.nn.Module = detector.Probabilities(exporting.weigh(detector.Detector(), options.checkpoint))
        image, free = torch.rand(1, 3, SIDE, SIDE), {"x": MAP, "probabilities": MAP}
    else:
        network = recognizer.Probabilities(exporting.weigh(recognizer.Recognizer(), options.checkpoint))
        image, free = torch.rand(1, 3, HEIGHT, SIDE), {"x": LINE, "probabilities": {0: "batch", 1: "steps"}}
        # Without the space, which PaddleOCR adds as the last character.
        options.onnx.with_name("dict.txt").write_text("".join(f"{one}\n" for one in CHARACTERS[:-1]), "utf-8")
    exporting.export(network.eval(), {"x": image}, ("probabilities",), options, free)


if __name__ == "__main__":
    main()
