"""An embedding of the whole picture."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, UnsetType

from webbuild.manifest.manifest_struct import ManifestStruct
from webbuild.manifest.numbers import Count
from webbuild.manifest.output import OutputName
from webbuild.manifest.tasks.task import Task

Pooling = Literal["none", "cls", "mean"]


class TextInput(ManifestStruct, kw_only=True, frozen=True):
    """How a text is tokenized for a text encoder, and how its cosine with a picture becomes a score.

    The tokenizer in the file `tokenizer` turns a text into at most `length` token ids, including the first and the last
    special token; `padding` fills the rest. `texts` are examples. A score is `logit_scale` * cosine. Softmax over the
    labels turns scores into probabilities; with `logit_bias` it is the sigmoid of score + bias. If `logit_scale` is
    missing, it is not known.
    """

    tokenizer: str
    length: Count
    padding: Count
    texts: list[str]
    logit_scale: float | None
    logit_bias: float | None


class EmbedTask(Task, tag="embed", kw_only=True, frozen=True):
    """A unit vector (embedding) of `size` numbers for the whole picture: similar pictures have a large dot product.

    `pooling` computes it from `output`: with `none`, [1, size] or [1, size, 1, 1] is the vector; with `cls` it is the
    first token of [1, tokens, size]; with `mean` the mean of all tokens. The vector is then divided by its length; a
    zero vector stays zero.

    The text encoder of a bundle has this task too, with `text_input` for its texts.
    """

    output: OutputName
    size: Count
    tokens: Count = 1
    pooling: Pooling
    text_input: TextInput | UnsetType = UNSET
