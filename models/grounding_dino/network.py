"""The architecture of transformers' Grounding DINO with Swin and BERT, narrow or at full size, in both interfaces."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from models import swin  # first: it makes torchvision importable
from models.grounding_dino.vocabulary import entries

# isort: split
import torch
from torch import Tensor, nn
from transformers import BertConfig, GroundingDinoConfig, GroundingDinoForObjectDetection
from transformers.models.grounding_dino import modeling_grounding_dino as modeling

TEXT: dict[str, Any] = {
    "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128,
    "max_position_embeddings": 256,
}  # fmt: skip
NARROW: dict[str, Any] = {
    "d_model": 64, "encoder_layers": 2, "encoder_ffn_dim": 128, "encoder_attention_heads": 4, "decoder_layers": 2,
    "decoder_ffn_dim": 128, "decoder_attention_heads": 4, "num_queries": 40, "dropout": 0.0, "fusion_droppath": 0.0,
    "auxiliary_loss": True,
}  # fmt: skip


def network(*, full_size: bool = False) -> Any:
    """Return Grounding DINO with random weights, at full size in the configuration of `grounding-dino-tiny`."""
    text = BertConfig() if full_size else BertConfig(vocab_size=len(entries()), **TEXT)
    options: dict[str, Any] = {} if full_size else NARROW
    backbone = swin.config([2, 3, 4], full_size=full_size)
    config = GroundingDinoConfig(backbone_config=backbone, text_config=text, disable_custom_kernels=True, **options)
    return GroundingDinoForObjectDetection(config)


@contextmanager
def masks(made: Callable[..., tuple[Tensor, Tensor]]) -> Iterator[None]:
    """Let the network get the text's mask [b, n, n] and positions [b, n] from `made`."""
    own = modeling.generate_masks_with_special_tokens_and_transfer_map
    modeling.generate_masks_with_special_tokens_and_transfer_map = made
    try:
        yield
    finally:
        modeling.generate_masks_with_special_tokens_and_transfer_map = own


def compared(input_ids: Tensor, special_tokens: Tensor) -> tuple[Tensor, Tensor]:
    """Return transformers' text mask and positions, without `isin`, `cummax` and `cummin`, which cannot be exported."""
    count = input_ids.shape[1]
    at = torch.arange(count)
    special = (input_ids[:, :, None] == special_tokens).any(-1)[:, None, :]
    earlier = torch.where(special & (at[None, None, :] < at[None, :, None]), at[None, None, :], -1).amax(2)
    later = torch.where(special & (at[None, None, :] >= at[None, :, None]), at[None, None, :], count).amin(2)
    inside = (later != 0) & (later != count - 1) & (later != count)
    mask = ((later[:, :, None] == later[:, None, :]) & inside[:, None, :]) | (at[:, None] == at)[None]
    return mask, torch.where(inside, at[None] - earlier - 1, torch.zeros_like(later)).clamp(min=0)


class Deployed(nn.Module):
    """Transformers' own interface.

    From `pixel_values` [b, 3, h, w], `input_ids`, `token_type_ids`, `attention_mask` [b, n] and `pixel_mask` [b, h, w]
    to `logits` [b, queries, 256] and `pred_boxes` [b, queries, 4], centre and size relative to the picture.
    """

    def __init__(self, detector: Any) -> None:
        super().__init__()
        self.detector = detector

    def forward(
        self,
        pixel_values: Tensor,
        input_ids: Tensor,
        token_type_ids: Tensor,
        attention_mask: Tensor,
        pixel_mask: Tensor,
    ) -> tuple[Tensor, Tensor]:
        """Logits and boxes."""
        with masks(compared):
            found = self.detector(
                pixel_values=pixel_values, input_ids=input_ids, token_type_ids=token_type_ids,
                attention_mask=attention_mask, pixel_mask=pixel_mask,
            )  # fmt: skip
        return found.logits, found.pred_boxes


class Original(nn.Module):
    """The interface of the original repository's exports: positions and the text's attention mask are inputs.

    From `img` [b, 3, h, w], `input_ids` [b, n], `attention_mask` [b, n], `position_ids` [b, n], `token_type_ids` [b, n]
    and `text_token_mask` [b, n, n] to `logits` and `boxes`, as in `Deployed`. Both masks are booleans.
    """

    def __init__(self, detector: Any) -> None:
        super().__init__()
        self.detector = detector

    def forward(
        self, img: Tensor, input_ids: Tensor, attention_mask: Tensor, position_ids: Tensor, token_type_ids: Tensor,
        text_token_mask: Tensor,
    ) -> tuple[Tensor, Tensor]:  # fmt: skip
        """Logits and boxes."""
        with masks(lambda *_, **__: (text_token_mask, position_ids)):
            found = self.detector(
                pixel_values=img, input_ids=input_ids, token_type_ids=token_type_ids, attention_mask=attention_mask
            )
        return found.logits, found.pred_boxes
