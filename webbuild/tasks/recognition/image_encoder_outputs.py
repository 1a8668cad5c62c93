"""Recognize image encoders, and find the output that is an embedding, or is pooled into one."""

from __future__ import annotations

import re

from msgspec import Struct

from webbuild.manifest.manifest import EmbedTask
from webbuild.manifest.tasks.embed import Pooling
from webbuild.model.signature import ModelSignature, TensorSpec
from webbuild.tasks.crop_embeddings import vector_size
from webbuild.tasks.recognition.classifiers import is_classifier
from webbuild.tasks.recognition.image_encoder_families import EmbedFamily, embed_family, embed_picture, is_headless
from webbuild.tasks.recognition.image_input import only_image_input
from webbuild.tasks.task_match import TaskMatch

_NAMES = (
    re.compile(r"(image|img|vision|visual|unnorm_image)[-_.]?(embeds?|embeddings?|features?)", re.IGNORECASE),
    re.compile(r"pooler_output|pooled_output", re.IGNORECASE),
)
"""Names of embedding outputs, best first: projected into the text space, then the encoder's own."""
_TOKENS = re.compile(r"last_hidden_state", re.IGNORECASE)


class _Found(Struct, frozen=True):
    task: EmbedTask
    how: str


def infer_picture_embedding(signature: ModelSignature, *, requested: bool) -> TaskMatch | None:
    """Return the match of a model that computes one vector from one picture, None for other models.

    Unless requested, an output name, the model family or the configuration must indicate it.
    """
    image = only_image_input(signature, "nchw", "nhwc")
    family = embed_family(signature)
    is_known_encoder = requested or ((family is not None or is_headless(signature)) and not is_classifier(signature))
    vector = _find_vector(signature.outputs, family, is_known_encoder=is_known_encoder)
    if image is None or vector is None:
        return None
    picture, picture_note, guessed = embed_picture(image, signature, family)
    how = f"task embed: {vector.how}, divided by its length"
    return TaskMatch(vector.task, (picture,), (how, picture_note), guessed_recipe=picture_note if guessed else "")


def _find_vector(
    outputs: tuple[TensorSpec, ...], family: EmbedFamily | None, *, is_known_encoder: bool
) -> _Found | None:
    """Return the output that is a vector or is pooled into one: by its name, else the only candidate."""
    floats = [each for each in outputs if each.dtype == "float32"]
    vectors = [each for each in floats if vector_size(each)]
    named = [each for pattern in _NAMES for each in vectors if pattern.fullmatch(each.name)]
    if named or (is_known_encoder and len(vectors) == 1):
        output = [*named, *vectors][0]
        size = vector_size(output)
        task = EmbedTask(output=output.name, size=size, pooling="none")
        return _Found(task, f"output '{output.name}' is a vector of {size} numbers")
    tokens = [each for each in floats if all(_token_shape(each))]
    hidden = [each for each in tokens if _TOKENS.fullmatch(each.name)] or (tokens if is_known_encoder else [])
    if len(hidden) == 1:
        return _pooled_tokens(hidden[0], family)
    return None


def _pooled_tokens(output: TensorSpec, family: EmbedFamily | None) -> _Found:
    tokens, size = _token_shape(output)
    pooling: Pooling = "cls" if family is not None and family.pooling == "cls" else "mean"
    which = "the first token, CLS," if pooling == "cls" else "the mean of all tokens"
    task = EmbedTask(output=output.name, size=size, tokens=tokens, pooling=pooling)
    return _Found(task, f"{which} of output '{output.name}' {list(output.shape)}")


def _token_shape(output: TensorSpec) -> tuple[int, int]:
    """Return (tokens, size) of an output [1, tokens, size], (0, 0) for any other."""
    match output.shape:
        case (1, int(tokens), int(size)) if tokens > 1 and size > 1:
            return tokens, size
    return 0, 0
