"""Label embeddings, computed with a text encoder and its tokenizer in native ONNX Runtime."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from webbuild.compile.text_encoder import embed_texts, text_length, text_mismatch
from webbuild.compile.text_vocabulary import check_vocabulary
from webbuild.compile.zero_shot import read_logit_scale
from webbuild.errors import USAGE, WebbuildError
from webbuild.model.load import OnnxModel, load_onnx
from webbuild.model.tokenizer_file import read_tokenizer
from webbuild.postprocess.unit_vectors import unit_vectors
from webbuild.preprocess.text_tokenizer import tokenize_texts
from webbuild.tasks.options.labels import read_labels, unreadable_labels
from webbuild.tasks.options.zero_shot import LogitScale, TextLabels
from webbuild.tasks.recognition.class_names import read_class_names
from webbuild.tasks.recognition.image_encoder_families import embed_family

_MAX_COSINE_GAP = 1e-6
"""Two label vectors count as equal if their cosine is closer to 1 than this."""


def embed_labels(
    text: Path, labels: Path, templates: Sequence[str], logit_scale: LogitScale, tokenizer: Path | None = None
) -> TextLabels:
    """Return the labels of a file with their embeddings: the normalized mean of the unit vectors over all templates.

    Args:
        text: the file of the text encoder.
        labels: the file of `--labels`.
        templates: texts with `{}` for the label; none for the label alone.
        logit_scale: scale and bias from the options.
        tokenizer: its tokenizer.json, None for the one next to the text encoder.

    Raises:
        WebbuildError: `unreadable-labels`, `invalid-labels`, `invalid-template`, `text-mismatch`, and what `load_onnx`,
            `read_tokenizer` and `tokenize_texts` raise.
    """
    names, templates = _checked_names(labels), _checked_templates(templates)
    source = load_onnx(text)
    family = embed_family(source.signature)
    sigmoid = family is not None and family.name == "SigLIP"
    length = text_length(source, sigmoid=sigmoid)
    texts = [template.replace("{}", name) for name in names for template in templates]
    reader = read_tokenizer(text, tokenizer)
    check_vocabulary(source, reader)
    tokens = tokenize_texts(reader, source.signature.hub_files.tokenizer_config, texts, length)
    output, vectors = embed_texts(source, tokens)
    units = unit_vectors(unit_vectors(vectors).reshape(len(names), len(templates), -1).mean(1))  # [labels, size]
    _check_distinct(source, names, units)
    templated = f"{len(templates)} template(s), such as '{templates[0]}'"
    made_by = f"labels are embedded by output '{output}' of {text.name}, which is not in the bundle"
    note = f"{made_by}: {templated}, padded to {length} tokens with {tokens.padding}"
    logits = (logit_scale, read_logit_scale(source.model))
    return TextLabels(names, units.astype("<f4").tobytes(), units.shape[1], logits, sigmoid, (note,))


def _checked_names(file: Path) -> list[str]:
    names = read_class_names(read_labels(file))
    if not names:
        raise unreadable_labels(file, "holds no labels")
    if duplicates := [name for at, name in enumerate(names) if name in names[:at]]:
        what = f"{file}: the label '{duplicates[0]}' is there twice"
        raise WebbuildError("invalid-labels", what, "name each label once", exit_code=USAGE)
    return names


def _checked_templates(templates: Sequence[str]) -> list[str]:
    for each in templates:
        if "{}" not in each:
            raise WebbuildError(
                "invalid-template",
                f"--template '{each}': has no {{}} for the label",
                "write for example --template 'a photo of a {}'",
                exit_code=USAGE,
            )
    return list(templates) or ["{}"]


def _check_distinct(source: OnnxModel, names: Sequence[str], units: NDArray[np.float64]) -> None:
    """Raise if a label has no vector, or two labels have the same vector."""
    if not np.isfinite(units).all() or not units.any(1).all():
        raise text_mismatch(source, "gives zeros or NaN for a label", "export the text encoder again")
    cosines = units @ units.T - np.eye(len(names))
    if len(names) > 1 and cosines.max() > 1 - _MAX_COSINE_GAP:
        one, other = sorted(int(at) for at in np.unravel_index(cosines.argmax(), cosines.shape))
        what = f"gives '{names[one]}' and '{names[other]}' the same vector"
        raise text_mismatch(
            source, what, "check that the tokenizer.json next to it belongs to it, and use distinct labels"
        )
