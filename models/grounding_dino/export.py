"""Export Grounding DINO, with its vocabulary next to it.

python -m models.grounding_dino.export build/grounding-dino/last.pt models/grounding-dino/grounding-dino.onnx
"""

from __future__ import annotations

from models import exporting
from models.companion_files import preprocessor, write
from models.grounding_dino import text
from models.grounding_dino.network import Deployed, Original, network
from models.swin import SIDE

# isort: split
import torch
from torch import Tensor

PHRASES = ("red circle", "blue square")
FREE = ("text", "batch", "size")
WORDS = ("input_ids", "attention_mask", "position_ids", "token_type_ids")


def example(interface: str, side: int, length: int) -> dict[str, Tensor]:
    """Return an example of every input in order; a `length` of 0 does not pad the prompt."""
    prompt = text.prompt(PHRASES)
    pad = max(0, length - len(prompt.ids))
    count = len(prompt.ids) + pad
    mask = torch.eye(count, dtype=torch.bool)
    mask[: count - pad, : count - pad] = torch.from_numpy(prompt.mask)
    words = {
        "input_ids": torch.nn.functional.pad(torch.from_numpy(prompt.ids), (0, pad))[None],
        "attention_mask": (torch.arange(count) < count - pad)[None],
        "position_ids": torch.nn.functional.pad(torch.from_numpy(prompt.positions), (0, pad))[None],
        "token_type_ids": torch.zeros(1, count, dtype=torch.int64),
    }
    image = torch.randn(1, 3, side, side)
    if interface == "original":
        return {"img": image, **words, "text_token_mask": mask[None]}
    own = {name: words[name] for name in ("input_ids", "token_type_ids")}
    masks = {
        "attention_mask": words["attention_mask"].long(),
        "pixel_mask": torch.ones(1, side, side, dtype=torch.int64),
    }
    return {"pixel_values": image, **own, **masks}


def free_axes(inputs: dict[str, Tensor], outputs: tuple[str, ...], free: str) -> exporting.Dynamic:
    """Return the usual dynamic axes: the text's length, the batch, the picture's size."""
    batch = {0: "batch_size"} if free != "text" else {}
    axes: exporting.Dynamic = {name: dict(batch) for name in (*inputs, *outputs)}
    for name in WORDS:
        if name in inputs:
            axes[name][1] = "seq_len"
    if "text_token_mask" in inputs:
        axes["text_token_mask"] |= {1: "seq_len", 2: "seq_len"}
    if free == "size":
        axes[next(iter(inputs))] |= {2: "height", 3: "width"}
        if "pixel_mask" in inputs:
            axes["pixel_mask"] |= {1: "height", 2: "width"}
    return axes


def main() -> None:
    """Read the command line and export."""
    parser = exporting.arguments(__doc__, axes="free")
    parser.add_argument("--interface", choices=["transformers", "original"], default="transformers")
    parser.add_argument("--text", type=int, default=0, help="tokens of the example prompt, at most 256")
    parser.add_argument("--free", choices=FREE, default="text", help="axes of --axes free, including earlier ones")
    options = parser.parse_args()
    torch.manual_seed(0)
    detector = exporting.weigh(network(full_size=options.full_size), options.checkpoint)
    own = options.interface == "transformers"
    outputs = ("logits", "pred_boxes" if own else "boxes")
    side = 800 if options.full_size else SIDE
    inputs = example(options.interface, side, options.text)
    deployed = Deployed(detector) if own else Original(detector)
    exporting.export(deployed, inputs, outputs, options, free_axes(inputs, outputs, options.free))
    write(options.onnx.parent, detector.config.to_diff_dict(), preprocessor("GroundingDinoImageProcessor", side, side))
    text.save(options.onnx.parent)


if __name__ == "__main__":
    main()
