"""Detectors that are told in words what to look for, known by their inputs and outputs: Grounding DINO.

Interfaces: transformers' (`pixel_values`, `input_ids`, `token_type_ids`, `attention_mask`, perhaps `pixel_mask`, to
`logits`, `pred_boxes`), and that of the exports of the original repository (`img`, `input_ids`, `attention_mask`,
`position_ids`, `token_type_ids`, `text_token_mask` to `logits`, `boxes`).
"""

from __future__ import annotations

from typing import Literal, cast

from msgspec import Struct

from webbuild.errors import WebbuildError
from webbuild.facts import ModelFacts, TensorFact
from webbuild.manifest import ImageInput, PhrasesTask, PromptInput
from webbuild.phrase_head import PhraseHead
from webbuild.tasks._base import Guess
from webbuild.tasks.export_form import image_input
from webbuild.tasks.prompt import SEPARATORS
from webbuild.tasks.set_picture import set_picture
from webbuild.tasks.wordpiece import Wordpiece, read_wordpiece

Role = Literal["ids", "attention", "types", "positions", "sight"]

TOKENIZER = "tokenizer.json"
"""Where the tokenizer lies in a bundle."""

ROLES: dict[str, Role] = {
    "input_ids": "ids",
    "attention_mask": "attention",
    "token_type_ids": "types",
    "position_ids": "positions",
    "text_token_mask": "sight",
    "text_self_attention_masks": "sight",
}
"""Inputs that are made of the prompt, and what each holds."""
MASKS = ("pixel_mask",)
"""Inputs that say what of the picture is picture, which are as large."""
_LOGITS = ("logits", "pred_logits")
_BOXES = ("pred_boxes", "boxes")
_CONFIDENCE, _TEXT = 0.35, 0.25
"""The thresholds of the original repository's demo."""
_EXAMPLES = ("person . dog . cat . car . chair .",)


class _Inputs(Struct, frozen=True):
    """A picture, what becomes of the prompt, and masks that are 1 everywhere."""

    image: ImageInput
    prompt: tuple[PromptInput, ...]
    ones: dict[str, tuple[int, ...]]

    @property
    def length(self) -> int:
        """Tokens that the inputs have room for."""
        return min(spec.shape[-1] for spec in self.prompt)


def guess_grounded(facts: ModelFacts) -> Guess | None:
    """Return the spec of a detector that takes a prompt, None for anything else.

    Raises:
        WebbuildError: `no-tokenizer`, `wrong-tokenizer`.
    """
    inputs = _inputs(facts.inputs)
    named = {fact.name: fact for fact in facts.outputs}
    logits = next((named[name] for name in _LOGITS if name in named), None)
    boxes = next((named[name] for name in _BOXES if name in named), None)
    if inputs is None or logits is None or boxes is None:
        return None
    match logits.shape, boxes.shape:
        case (1, int(queries), int(width)), (1, int(same), 4) if queries == same and width >= inputs.length:
            pass
        case _:
            return None
    beside = facts.companions
    reader = read_wordpiece(facts.file, beside.tokenizer, beside.vocabulary, beside.tokenizer_config)
    _require_room(facts, reader)
    pieces = {piece: reader.number(piece) for piece in (*SEPARATORS, "[PAD]")}
    task = PhrasesTask(
        output=logits.name,
        boxes=boxes.name,
        queries=queries,
        tokens=inputs.length,
        tokenizer=TOKENIZER,
        pieces={piece: number for piece, number in pieces.items() if number is not None},
        confidence=_CONFIDENCE,
        text_threshold=_TEXT,
        prompts=list(_EXAMPLES),
    )
    image, seen = set_picture(inputs.image, beside.preprocessor, normalised=True)
    source = "tokenizer.json" if beside.tokenizer else "vocab.txt"
    said = (
        f"task phrases: {queries} boxes and a logit of each for {width} tokens, as Grounding DINO gives them",
        f"prompts become at most {task.tokens} tokens by the {source} beside the model, which has {reader.size} pieces",
        f"boxes above {_CONFIDENCE:g} and words above {_TEXT:g} count, as in the original's demo",
        *(f"input '{name}' is 1 everywhere: the whole input is picture" for name in inputs.ones),
    )
    files = {TOKENIZER: reader.text.encode()}
    return Guess(task, (image, *inputs.prompt), (*said, *seen), PhraseHead(ones=inputs.ones), files)


def _inputs(given: tuple[TensorFact, ...]) -> _Inputs | None:
    """Return what the inputs are, None where there is one that is none of these."""
    image: ImageInput | None = None
    prompt: list[PromptInput] = []
    ones: dict[str, tuple[int, ...]] = {}
    for fact in given:
        role = ROLES.get(fact.name)
        match fact.shape:
            case (1, 3, int(), int()) if image is None:
                image = image_input(fact)
            case (1, int()) if role is not None and role != "sight":
                prompt.append(_prompted(fact, role))
            case (1, int(rows), int(columns)) if role == "sight" and rows == columns:
                prompt.append(_prompted(fact, role))
            case (1, int(height), int(width)) if fact.name in MASKS:
                ones[fact.name] = (1, height, width)
            case _:
                return None
    told = image is not None and any(spec.role == "ids" for spec in prompt)
    return _Inputs(image, tuple(prompt), ones) if told and image is not None else None


def _prompted(fact: TensorFact, role: Role) -> PromptInput:
    shape = [size for size in fact.shape if isinstance(size, int)]
    dtype = cast("Literal['int64', 'int32', 'float32', 'bool']", fact.dtype)
    return PromptInput(name=fact.name, dtype=dtype, shape=shape, role=role)


def _require_room(facts: ModelFacts, reader: Wordpiece) -> None:
    """Raise where the network has fewer pieces than the tokenizer, by `config.json`."""
    text = facts.companions.config.get("text_config")
    known = text.get("vocab_size") if isinstance(text, dict) else None
    if isinstance(known, int) and known < reader.size:
        raise WebbuildError(
            "wrong-tokenizer",
            f"{facts.file}: the tokenizer beside it has {reader.size} pieces, the network {known}, as config.json says",
            "copy the tokenizer.json or the vocab.txt that the model was exported with beside it",
        )
