"""A vector for the whole picture."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, UnsetType

from webbuild.manifest.manifest_struct import ManifestStruct
from webbuild.manifest.numbers import Count
from webbuild.manifest.output import OutputName
from webbuild.manifest.tasks.task import Task

Pooling = Literal["none", "cls", "mean"]


class TextInput(ManifestStruct, kw_only=True, frozen=True):
    """How a text becomes the inputs of a text encoder, and the cosine with a picture a score.

    The tokenizer in the file `tokenizer` makes at most `length` numbers of a text, its first and its last token among
    them; `padding` fills the rest. `texts` are examples. A score is `logit_scale` * cosine, of which a softmax over
    the labels makes probabilities; with a `logit_bias` a sigmoid of the sum. Without `logit_scale` nobody knows it.
    """

    tokenizer: str
    length: Count
    padding: Count
    texts: list[str]
    logit_scale: float | None
    logit_bias: float | None


class EmbedTask(Task, tag="embed", kw_only=True, frozen=True):
    """A unit vector of `size` numbers for the whole picture: pictures alike have vectors with a large dot product.

    `pooling` says how `output` becomes it: `none`, [1, size] or [1, size, 1, 1] is the vector; `cls`, the first of
    [1, tokens, size]; `mean`, the mean of all of these. The vector is then divided by its length; one of zeros stays as
    it is.

    The text encoder of a bundle has this task too: `text_input` says how texts go in, instead of a picture.
    """

    output: OutputName
    size: Count
    tokens: Count = 1
    pooling: Pooling
    text_input: TextInput | UnsetType = UNSET
