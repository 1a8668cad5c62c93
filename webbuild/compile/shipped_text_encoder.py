"""The text encoder that ships with an image encoder: its inputs, tokenizer and task."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, cast

from msgspec import Struct

from webbuild.compile.text_encoder import embed_texts, text_length, text_mismatch, token_input
from webbuild.compile.text_vocabulary import check_vocabulary
from webbuild.compile.zero_shot import read_logit_scale
from webbuild.manifest.manifest import EmbedTask, PromptInput, PromptRole
from webbuild.manifest.tasks.embed import TextInput
from webbuild.model.load import OnnxModel, load_onnx
from webbuild.model.signature import TensorSpec
from webbuild.model.tokenizer_file import read_tokenizer
from webbuild.preprocess.text_tokenizer import TextTokenizer, tokenize_texts
from webbuild.tasks.options.zero_shot import LogitScale, known_score, score_formula
from webbuild.tasks.recognition.image_encoder_families import embed_family
from webbuild.tasks.task_match import TaskMatch

TOKENIZER_FILE = "tokenizer.json"
"""Path of the tokenizer in a bundle."""
_TEXTS = (
    "a photo of a cat", "a photo of a dog", "a red car in a street", "two people at a table",
    "mountains under a blue sky", "a plate of food",
)  # fmt: skip
"""Default texts of the proof."""
_LONGEST_WORDS = 200
"""Most words of the long example text."""


class ShippedTextEncoder(Struct, frozen=True):
    """A text encoder, its match, and the sizes of its free dimensions by "input:axis"."""

    source: OnnxModel
    match: TaskMatch
    dims: dict[str, int]


def open_text_encoder(
    path: Path, tokenizer: Path | None, texts: Sequence[str], logit_scale: LogitScale, image: OnnxModel
) -> ShippedTextEncoder:
    """Return a text encoder with its tokenizer.

    Args:
        path: its file.
        tokenizer: its tokenizer.json, None for the one next to the text encoder.
        texts: the texts of the proof; none for webbuild's own.
        logit_scale: scale and bias from the options.
        image: the image encoder: its weights may contain scale and bias.

    Raises:
        WebbuildError: `text-mismatch`, `invalid-prompt`, and what `load_onnx`, `read_tokenizer` and `check_vocabulary`
            raise.
    """
    source = load_onnx(path)
    family = embed_family(source.signature) or embed_family(image.signature)
    sigmoid = family is not None and family.name == "SigLIP"
    length, batch = text_length(source, sigmoid=sigmoid), token_input(source).shape[0]
    if isinstance(batch, int) and batch != 1:
        raise text_mismatch(source, f"takes {batch} texts at a time", "export it with a free batch or a batch of 1")
    reader = read_tokenizer(path, tokenizer)
    check_vocabulary(source, reader)
    config = source.signature.hub_files.tokenizer_config
    examples = _examples(reader, texts, length)
    tokens = tokenize_texts(reader, config, examples, length)
    output, vectors = embed_texts(source, tokens)
    scale, bias, score_source = known_score(
        [logit_scale, read_logit_scale(source.model), read_logit_scale(image.model)], sigmoid
    )
    words = TextInput(
        tokenizer=TOKENIZER_FILE,
        length=length,
        padding=reader.padding(config)[1],
        texts=examples,
        logit_scale=scale,
        logit_bias=bias,
    )
    inputs = tuple(_prompt_input(source, each, length) for each in source.signature.inputs)
    task = EmbedTask(output=output, size=vectors.shape[1], pooling="none", text_input=words)
    how = f"texts become {length} tokens with a tokenizer of {reader.size:,}, padded with {tokens.padding}"
    shipped = reader.for_runtime()
    score = (
        score_source if scale is None else f"classify() scores labels by {score_formula(scale, bias)}, {score_source}"
    )
    assumptions = (f"output '{output}' is the vector of a text", how, *_tokenizer_caveats(shipped), score)
    match = TaskMatch(task, inputs, assumptions, files={TOKENIZER_FILE: shipped.encode()})
    free = (
        (each, axis) for each in source.signature.inputs for axis in (0, 1) if not isinstance(each.shape[axis], int)
    )
    return ShippedTextEncoder(source, match, {f"{each.name}:{axis}": (1, length)[axis] for each, axis in free})


def _examples(reader: TextTokenizer, texts: Sequence[str], length: int) -> list[str]:
    """Return the user's texts, else webbuild's own that fit and one that fills the input."""
    if texts:
        return list(texts)
    words = " ".join(_TEXTS).split()
    counts = range(_LONGEST_WORDS, 0, -1)
    long = (" ".join(words[at % len(words)] for at in range(count)) for count in counts)
    fitting = [each for each in _TEXTS if len(reader.encode([each])[0]) <= length]
    return [*fitting, next((each for each in long if len(reader.encode([each])[0]) <= length), words[0])]


def _tokenizer_caveats(tokenizer: str) -> tuple[str, ...]:
    """Return a sentence on text that the runtime may tokenize differently from Python, if there is any."""
    if '"Precompiled"' not in tokenizer:
        return ()
    letters = "letters with several combining marks and halfwidth kana with voiced marks"
    return (f"the tokenizer has a Precompiled normalizer, which the browser applies to all but {letters}",)


def _prompt_input(source: OnnxModel, spec: TensorSpec, length: int) -> PromptInput:
    roles: dict[str, PromptRole] = {
        "mask": "attention_mask",
        "position": "position_ids",
        "type": "token_type_ids",
    }
    named = next((role for part, role in roles.items() if part in spec.name), None)
    role: PromptRole | None = "input_ids" if spec.name == token_input(source).name else named
    if role is None or len(spec.shape) != 2:
        raise text_mismatch(source, f"takes '{spec.name}' in addition to a text", "export the text encoder alone")
    dtype = cast("Literal['int64', 'int32', 'float32', 'bool']", spec.dtype)
    return PromptInput(name=spec.name, dtype=dtype, shape=[1, length], role=role)
