"""Sizes for the free dimensions of a model's inputs: given, known from metadata, or asked for."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from webbuild.errors import USAGE, WebbuildError
from webbuild.model.signature import ModelSignature
from webbuild.tasks.grounding_dino import PIXEL_MASK_NAMES, PROMPT_INPUT_ROLES
from webbuild.tasks.metadata import image_size

_BATCH_NAMES = {"batch", "batch_size", "n", "bs"}
_CHANNEL_NAMES = {"num_channels", "channels"}
_DEFAULT_PROMPT_TOKENS = 256
"""What a prompt may have where nothing says otherwise: the columns of Grounding DINO's logits."""


class ResolvedDims(Struct, frozen=True):
    """A size for every free dimension, by name or "input:axis", and what was assumed to get there."""

    dims: dict[str, int]
    assumptions: tuple[str, ...]


def parse_dims(arguments: tuple[str, ...]) -> dict[str, int]:
    """Parse `NAME=N` and `INPUT:AXIS=N`.

    Raises:
        WebbuildError: `invalid-dimension`.
    """
    dims: dict[str, int] = {}
    for argument in arguments:
        name, equals, size = argument.rpartition("=")
        if not equals or not name or not (size.isascii() and size.isdigit()) or int(size) == 0:
            raise WebbuildError(
                "invalid-dimension",
                f"--dim {argument}: this is not NAME=N or INPUT:AXIS=N with N above 0",
                "write for example --dim height=640, or --dim images:2=640",
                exit_code=USAGE,
            )
        dims[name] = int(size)
    return dims


def resolve_dims(signature: ModelSignature, given: Mapping[str, int]) -> ResolvedDims:
    """Return a size for every free input dimension.

    Raises:
        WebbuildError: `unknown-dimension`, naming each that cannot be guessed and the --dim to give; or
            `unused-dimension` for a --dim that names none.
    """
    dims: dict[str, int] = {}
    assumptions: list[str] = []
    missing: list[str] = []
    used: set[str] = set()
    pictures = image_size(signature)
    for fact in signature.inputs:
        for axis, dim in enumerate(fact.shape):
            key = f"{fact.name}:{axis}"
            if isinstance(dim, int):
                continue
            if (match := next((k for k in (key, dim) if k in given), None)) is not None:
                used.add(match)
                dims[key] = given[match]
            elif axis == 0 and (dim is None or dim.lower() in _BATCH_NAMES):
                dims[key] = 1
                assumptions.append(f"input '{fact.name}': one at a time, the batch is 1")
            elif axis == 1 and len(fact.shape) == 4 and dim is not None and dim.lower() in _CHANNEL_NAMES:
                dims[key] = 3
                assumptions.append(f"input '{fact.name}': the picture has 3 channels")
            elif pictures is not None and len(fact.shape) == 4 and axis in (2, 3):
                dims[key] = pictures[axis - 2]
                assumptions.append(f"input '{fact.name}': axis {axis} is {dims[key]}, as the exporter says")
            elif pictures is not None and fact.name in PIXEL_MASK_NAMES and axis in (1, 2):
                dims[key] = pictures[axis - 1]
            elif fact.name in PROMPT_INPUT_ROLES and axis in (1, 2) and takes_prompt(signature):
                dims[key] = max_prompt_tokens(signature)
                assumptions.append(f"the text is padded to {dims[key]} tokens; --dim gives another length")
            else:
                missing.append(f"input '{fact.name}' axis {axis} ({dim or 'unnamed'}): --dim {dim or key}=N")
    if missing:
        raise WebbuildError(
            "unknown-dimension",
            f"{signature.file}: the size of {len(missing)} free dimension(s) cannot be guessed: {'; '.join(missing)}",
            "give each a size, for example " + missing[0].rpartition(": ")[2].replace("=N", "=640"),
            exit_code=USAGE,
        )
    if unused := sorted(set(given) - used):
        free = [
            dim or f"{fact.name}:{axis}"
            for fact in signature.inputs
            for axis, dim in enumerate(fact.shape)
            if not isinstance(dim, int)
        ]
        raise WebbuildError(
            "unused-dimension",
            f"{signature.file}: --dim {unused[0]} names no free dimension of an input",
            f"the free ones are: {', '.join(dict.fromkeys(free)) or 'none'}",
            exit_code=USAGE,
        )
    return ResolvedDims(dims, tuple(dict.fromkeys(assumptions)))


def takes_prompt(signature: ModelSignature) -> bool:
    """Whether the inputs are a picture and a text, as those of a detector by words."""
    names = {fact.name for fact in signature.inputs}
    return "input_ids" in names and any(len(fact.shape) == 4 for fact in signature.inputs)


def max_prompt_tokens(signature: ModelSignature) -> int:
    """Return the most tokens that a text may have, as `config.json` says, else as Grounding DINO has it."""
    known = signature.hub_files.config.get("max_text_len")
    return known if isinstance(known, int) and known > 0 else _DEFAULT_PROMPT_TOKENS
