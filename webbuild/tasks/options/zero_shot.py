"""Zero-shot classification: a picture's embedding against label embeddings that were computed when packing."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from webbuild.errors import USAGE, WebbuildError
from webbuild.manifest.manifest import ClassifyTask, EmbedTask
from webbuild.model.signature import ModelSignature
from webbuild.postprocess.label_scores import LabelScoresPostprocess
from webbuild.postprocess.output_names import LABEL_SCORES
from webbuild.tasks.recognition.image_encoder_families import embed_family
from webbuild.tasks.recognition.image_encoder_outputs import infer_picture_embedding
from webbuild.tasks.task_match import TaskMatch

_CLIP_SCALE = 100.0
"""The maximum of CLIP's logit_scale, which its training reaches."""


class LogitScale(Struct, frozen=True):
    """Scale and bias of logit = scale * cosine + bias, None if unknown. `source` says where they are from."""

    source: str
    scale: float | None = None
    bias: float | None = None


class TextLabels(Struct, frozen=True):
    """Labels and their unit vectors [labels, size], float32; `logits` are sources of scale and bias, best first.

    `sigmoid` means that the model family scores each label independently, as SigLIP. `assumptions` are sentences.
    """

    names: list[str]
    vectors: bytes
    size: int
    logits: tuple[LogitScale, ...]
    sigmoid: bool
    assumptions: tuple[str, ...]


def zero_shot_match(signature: ModelSignature, labels: TextLabels, in_graph: LogitScale) -> TaskMatch:
    """Return the match of an image encoder as a classifier; `in_graph` are scale and bias from its own weights.

    Raises:
        WebbuildError: `text-mismatch` for a model without a vector of the labels' size; `unknown-logit-scale`.
    """
    match = infer_picture_embedding(signature, requested=True)
    if match is None or not isinstance(match.task, EmbedTask):
        raise _mismatch(signature, "is not an encoder of one picture into one vector", "give an image encoder as MODEL")
    task = match.task
    if task.size != labels.size:
        what = f"output '{task.output}' has {task.size} numbers, and a vector of the text encoder {labels.size}"
        raise _mismatch(signature, what, "export both with their projections: image_embeds and text_embeds")
    family = embed_family(signature)
    sigmoid = labels.sigmoid or (family is not None and family.name == "SigLIP")
    scale, bias, known = known_score((*labels.logits, in_graph), sigmoid)
    if scale is None:
        raise WebbuildError(
            "unknown-logit-scale",
            f"{signature.file}: {known}",
            "give --logit-scale, the exponential of the checkpoint's logit_scale, and --logit-bias",
            exit_code=USAGE,
        )
    spec = LabelScoresPostprocess(
        output=task.output, size=task.size, tokens=task.tokens, pooling=task.pooling, vectors=labels.vectors,
        scale=scale, bias=bias or 0.0, sigmoid=bias is not None,
    )  # fmt: skip
    how = f"task classify: {len(labels.names)} labels, a score is {score_formula(scale, bias)}, {known}"
    assumptions = [each.replace("task embed: ", "the embedding is ") for each in match.assumptions]
    classify = ClassifyTask(output=LABEL_SCORES, classes=labels.names, logits=bias is None)
    return msgspec.structs.replace(
        match, task=classify, postprocess=spec, assumptions=(how, *labels.assumptions, *assumptions)
    )


def score_formula(scale: float, bias: float | None) -> str:
    """Return the formula from cosine to score as text."""
    added = "" if bias is None else f" {'-' if bias < 0 else '+'} {abs(bias):g}"
    return f"{'softmax' if bias is None else 'sigmoid'}({scale:g} * cosine{added})"


def known_score(known: Sequence[LogitScale], sigmoid: bool) -> tuple[float | None, float | None, str]:
    """Return scale, bias (None for softmax) and their source; scale is None if a sigmoid's are unknown."""
    scale_source = next((each for each in known if each.scale is not None), None)
    bias = next((each.bias for each in known if each.bias is not None), None)
    if (sigmoid or bias is not None) and (scale_source is None or bias is None):
        return None, None, "logit_scale and logit_bias, which its sigmoid needs, are unknown"
    if scale_source is None or scale_source.scale is None:
        return _CLIP_SCALE, bias, "logit_scale is CLIP's; --logit-scale changes it"
    return scale_source.scale, bias, scale_source.source


def _mismatch(signature: ModelSignature, what: str, fix: str) -> WebbuildError:
    return WebbuildError("text-mismatch", f"{signature.file}: {what}", fix, exit_code=USAGE)
