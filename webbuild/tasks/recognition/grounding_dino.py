"""Recognition of detectors with a text prompt, by inputs and outputs: Grounding DINO.

Interfaces: transformers' (`pixel_values`, `input_ids`, `token_type_ids`, `attention_mask`, optional `pixel_mask` ->
`logits`, `pred_boxes`), and the original repository's exports (`img`, `input_ids`, `attention_mask`, `position_ids`,
`token_type_ids`, `text_token_mask` -> `logits`, `boxes`).
"""

from __future__ import annotations

from typing import Literal, cast

from msgspec import Struct

from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import GroundingTask, ImageInput, PromptInput, PromptRole
from webbuild.model.signature import ModelSignature, TensorSpec
from webbuild.postprocess.grounding import GroundingPostprocess
from webbuild.preprocess.prompt import SEPARATOR_TOKENS
from webbuild.preprocess.wordpiece import WordpieceTokenizer, load_tokenizer
from webbuild.tasks.recognition.detr_preprocess import detr_image_input
from webbuild.tasks.recognition.image_input import fixed_image_input
from webbuild.tasks.task_match import TaskMatch

_TOKENIZER_FILE = "tokenizer.json"
"""Name of the tokenizer's file in a bundle."""

PROMPT_INPUT_ROLES: dict[str, PromptRole] = {
    "input_ids": "input_ids",
    "attention_mask": "attention_mask",
    "token_type_ids": "token_type_ids",
    "position_ids": "position_ids",
    "text_token_mask": "self_attention_mask",
    "text_self_attention_masks": "self_attention_mask",
}
"""Inputs computed from the prompt, and their roles."""
PIXEL_MASK_NAMES = ("pixel_mask",)
"""Inputs of the picture's size that tell the picture from the padding."""
_LOGITS_NAMES = ("logits", "pred_logits")
BOXES_NAMES = ("pred_boxes", "boxes")
"""Names of the boxes output."""
_BOX_THRESHOLD, _TEXT_THRESHOLD = 0.35, 0.25
"""The thresholds of the original repository's demo."""
_EXAMPLE_PROMPTS = ("person . dog . cat . car . chair .",)


class _Inputs(Struct, frozen=True):
    """The inputs: a picture, the prompt's tensors, and masks that are all ones."""

    image: ImageInput
    prompt: tuple[PromptInput, ...]
    constant_masks: dict[str, tuple[int, ...]]

    @property
    def length(self) -> int:
        """Maximum number of tokens that fit into the inputs."""
        return min(spec.shape[-1] for spec in self.prompt)


def infer_grounding_dino(signature: ModelSignature) -> TaskMatch | None:
    """Return the match of a detector with a text prompt, None for other models.

    Raises:
        WebbuildError: `no-tokenizer`, `tokenizer-mismatch`.
    """
    inputs = _match_inputs(signature.inputs)
    named = {fact.name: fact for fact in signature.outputs}
    logits = next((named[name] for name in _LOGITS_NAMES if name in named), None)
    boxes = next((named[name] for name in BOXES_NAMES if name in named), None)
    if inputs is None or logits is None or boxes is None:
        return None
    match logits.shape, boxes.shape:
        case (1, int(queries), int(width)), (1, int(same), 4) if queries == same and width >= inputs.length:
            pass
        case _:
            return None
    hub_files = signature.hub_files
    reader = load_tokenizer(signature.file, hub_files.tokenizer, hub_files.vocabulary, hub_files.tokenizer_config)
    _check_vocabulary_size(signature, reader)
    pieces = {piece: reader.token_id(piece) for piece in (*SEPARATOR_TOKENS, "[PAD]")}
    task = GroundingTask(
        output=logits.name,
        boxes=boxes.name,
        queries=queries,
        max_tokens=inputs.length,
        tokenizer=_TOKENIZER_FILE,
        special_tokens={piece: number for piece, number in pieces.items() if number is not None},
        confidence=_BOX_THRESHOLD,
        text_threshold=_TEXT_THRESHOLD,
        prompts=list(_EXAMPLE_PROMPTS),
    )
    image, recipe = detr_image_input(inputs.image, hub_files.preprocessor, normalized=True)
    source = "tokenizer.json" if hub_files.tokenizer else "vocab.txt"
    vocabulary = reader.vocabulary_size
    assumptions = (
        f"task grounding: {queries} boxes, each with logits for {width} tokens, as in Grounding DINO",
        f"prompts become at most {task.max_tokens} tokens, by the {source} next to the model ({vocabulary} tokens)",
        f"thresholds are {_BOX_THRESHOLD:g} for boxes and {_TEXT_THRESHOLD:g} for words, as in the original's demo",
        *(f"input '{name}' is filled with 1: the picture fills the whole input" for name in inputs.constant_masks),
    )
    files = {_TOKENIZER_FILE: reader.text.encode()}
    return TaskMatch(
        task,
        (image, *inputs.prompt),
        (*assumptions, *recipe),
        GroundingPostprocess(constant_masks=inputs.constant_masks),
        files,
    )


def _match_inputs(specs: tuple[TensorSpec, ...]) -> _Inputs | None:
    """Return the recognized inputs, None if there is an unknown one."""
    image: ImageInput | None = None
    prompt: list[PromptInput] = []
    ones: dict[str, tuple[int, ...]] = {}
    for fact in specs:
        role = PROMPT_INPUT_ROLES.get(fact.name)
        match fact.shape:
            case (1, 3, int(), int()) | (1, int(), int(), 3) if image is None:
                image = fixed_image_input(fact)
            case (1, int()) if role is not None and role != "self_attention_mask":
                prompt.append(_prompt_input(fact, role))
            case (1, int(rows), int(columns)) if role == "self_attention_mask" and rows == columns:
                prompt.append(_prompt_input(fact, role))
            case (1, int(height), int(width)) if fact.name in PIXEL_MASK_NAMES:
                ones[fact.name] = (1, height, width)
            case _:
                return None
    has_tokens = image is not None and any(spec.role == "input_ids" for spec in prompt)
    return _Inputs(image, tuple(prompt), ones) if has_tokens and image is not None else None


def _prompt_input(spec: TensorSpec, role: PromptRole) -> PromptInput:
    shape = [size for size in spec.shape if isinstance(size, int)]
    dtype = cast("Literal['int64', 'int32', 'float32', 'bool']", spec.dtype)
    return PromptInput(name=spec.name, dtype=dtype, shape=shape, role=role)


def _check_vocabulary_size(signature: ModelSignature, tokenizer: WordpieceTokenizer) -> None:
    """Raise if the network has fewer tokens than the tokenizer, by `config.json`."""
    text = signature.hub_files.config.get("text_config")
    known = text.get("vocab_size") if isinstance(text, dict) else None
    if isinstance(known, int) and known < tokenizer.vocabulary_size:
        raise WebbuildError(
            "tokenizer-mismatch",
            f"{signature.file}: the tokenizer next to it has {tokenizer.vocabulary_size} tokens, the network {known}, "
            "according to config.json",
            "copy the tokenizer.json or the vocab.txt that the model was exported with next to it",
        )
