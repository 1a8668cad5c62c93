"""Sizes for the free dimensions of a model's inputs: from `--dim` or metadata, else an error that requests them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches

from msgspec import Struct

from webbuild.errors import USAGE, WebbuildError
from webbuild.model.dim_expression import evaluate_dim
from webbuild.model.signature import Dim, ModelSignature, TensorSpec
from webbuild.preprocess.picture_shape import is_latent
from webbuild.tasks.options.known_size import known_picture_size
from webbuild.tasks.recognition.grounding_dino import BOXES_NAMES, PIXEL_MASK_NAMES, PROMPT_INPUT_ROLES
from webbuild.tasks.recognition.sam_decoders import fewest_points, prompt_sizes

_BATCH_NAMES = {"n", "b", "bs"}
_GENERATED_NAME = re.compile(r"s\d+|unk__\d+|.+_dynamic_axes_\d+")
"""A name that torch.export, tf2onnx, or torch.onnx for `dynamic_axes` without names generates."""
_CHANNEL_NAMES = {"num_channels", "channels"}
_DEFAULT_PROMPT_TOKENS = 256
"""Default maximum number of prompt tokens: the columns of Grounding DINO's logits."""


class ResolvedDims(Struct, frozen=True):
    """A size for every free dimension, by name or "input:axis", and the assumptions made."""

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
                f"--dim {argument}: not NAME=N or INPUT:AXIS=N with N above 0",
                "write for example --dim height=640, or --dim images:2=640",
                exit_code=USAGE,
            )
        dims[name] = int(size)
    return dims


def resolve_dims(signature: ModelSignature, dims: Mapping[str, int]) -> ResolvedDims:
    """Return a size for every free input dimension.

    Raises:
        WebbuildError: `unknown-dimension`, with all unknown dimensions and the --dim options to give;
            `unused-dimension` for a --dim that names no free dimension.
    """
    _check_names(signature, dims)
    sizes, missing = _guess(signature, dims)
    if missing:
        assumptions = [
            f"input '{spec.name}' axis {axis} ({dim or 'unnamed'}): --dim {dim or f'{spec.name}:{axis}'}=N"
            for spec, axis, dim in missing
        ]
        raise WebbuildError(
            "unknown-dimension",
            f"{signature.file}: cannot guess the size of {len(missing)} free dimension(s): {'; '.join(assumptions)}",
            "give each a size, for example " + assumptions[0].rpartition(": ")[2].replace("=N", "=640"),
            exit_code=USAGE,
        )
    return sizes


def unknown_dims(signature: ModelSignature, dims: Mapping[str, int]) -> list[str]:
    """Return the free dimensions that cannot be guessed, by name, or "input:axis" for dimensions without one."""
    return list(dict.fromkeys(dim or f"{spec.name}:{axis}" for spec, axis, dim in _guess(signature, dims)[1]))


def _guess(
    signature: ModelSignature, fixed_dims: Mapping[str, int]
) -> tuple[ResolvedDims, list[tuple[TensorSpec, int, str | None]]]:
    """Return the known sizes, and the axes of unknown size as (input, axis, name)."""
    dims: dict[str, int] = {}
    assumptions: list[str] = []
    missing: list[tuple[TensorSpec, int, str | None]] = []
    known = known_picture_size(signature)
    batched: list[str] = []
    prompt = prompt_sizes(signature, fewest_points(signature))
    for spec in signature.inputs:
        for axis, dim in enumerate(spec.shape):
            key = f"{spec.name}:{axis}"
            if isinstance(dim, int):
                continue
            if (match := next((k for k in (key, dim) if k in fixed_dims), None)) is not None:
                dims[key] = fixed_dims[match]
            elif dim is not None and (size := evaluate_dim(dim, fixed_dims)) is not None:
                dims[key] = size
            elif key in prompt:
                dims[key] = prompt[key]
            elif axis == 0 and (dim is None or _is_batch(spec, dim)):
                dims[key] = 1
                batched.append(f"'{spec.name}'")
            elif axis == 1 and len(spec.shape) == 4 and is_channel_name(dim):
                dims[key] = 3
                assumptions.append(f"input '{spec.name}': the picture has 3 channels")
            elif known is not None and len(spec.shape) == 4 and axis in (2, 3):
                dims[key] = known.size[axis - 2]
                assumptions.append(f"input '{spec.name}': axis {axis} is {dims[key]}, {known.source}")
            elif known is not None and spec.name in PIXEL_MASK_NAMES and axis in (1, 2):
                dims[key] = known.size[axis - 1]
            elif spec.name in PROMPT_INPUT_ROLES and axis in (1, 2) and takes_prompt(signature):
                dims[key] = _max_prompt_tokens(signature)
                assumptions.append(f"the text is padded to {dims[key]} tokens; change it with --dim")
            else:
                missing.append((spec, axis, dim))
    if batched:
        inputs = f"input{'s' * (len(batched) > 1)} {', '.join(batched)}"
        assumptions.insert(0, f"{inputs}: the batch size is 1")
    return ResolvedDims(dims, tuple(dict.fromkeys(assumptions))), missing


def sequence_lengths(signature: ModelSignature, names: Sequence[str], length: int) -> dict[str, int]:
    """Return a size for each name; with a key-value cache the attention mask spans past and new tokens: 2 * length."""
    has_cache = any("past" in spec.name.lower() for spec in signature.inputs)
    masks = {dim for spec in signature.inputs if spec.name == "attention_mask" for dim in spec.shape[1:]}
    return {name: 2 * length if has_cache and (name in masks or "total" in name) else length for name in names}


def _is_batch_name(dim: str) -> bool:
    """Whether a first axis of this name is a batch. paddle2onnx names it `DynamicDimension.0`."""
    return dim.lower() in _BATCH_NAMES or "batch" in dim.lower() or dim.startswith("DynamicDimension.")


def _is_batch(spec: TensorSpec, dim: str) -> bool:
    """Whether a first axis is a batch. diffusers names that of a `timestep` `step` or `steps`."""
    return _is_batch_name(dim) or bool(picture_sides(spec)) or _is_unnamed_batch(spec) or spec.name == "timestep"


def _is_unnamed_batch(spec: TensorSpec) -> bool:
    """Whether the first axis has a generated name, and may be a batch.

    With tf2onnx's name it is one if there is another axis: Keras puts the batch first. With the other names it is one
    if another axis is free or there are at least three: [s0, 3] may be points.
    """
    first, *others = spec.shape
    if not isinstance(first, str) or _GENERATED_NAME.fullmatch(first) is None:
        return False
    free = any(not isinstance(size, int) for size in others)
    return free or len(others) > (0 if first.startswith("unk__") else 1)


def free_picture_sides(signature: ModelSignature, dims: Mapping[str, int]) -> list[str]:
    """Return the free axes, as "input:axis", that are a picture's height or width of unknown size.

    An input is a picture by its shape, [N, C, H, W] or [N, H, W, C] with 1, 3 or 4 channels. Axes of other inputs with
    the same name are included.
    """
    if known_picture_size(signature) is not None:
        return []
    sides = [(spec, axis) for spec in signature.inputs for axis in _free_sides(spec)]
    names = {spec.shape[axis] for spec, axis in sides} - {None}
    sides += [(spec, axis) for spec in signature.inputs for axis, dim in enumerate(spec.shape) if dim in names]
    keys = {f"{spec.name}:{axis}": spec.shape[axis] for spec, axis in sides}
    return [key for key, dim in keys.items() if key not in dims and dim not in dims]


def _free_sides(spec: TensorSpec) -> tuple[int, ...]:
    """Return the axes of height and width of an input shaped like a picture, if both are free."""
    axes = picture_sides(spec)
    return () if any(isinstance(spec.shape[axis], int) for axis in axes) else axes


def picture_sides(spec: TensorSpec) -> tuple[int, ...]:
    """Return the axes of height and width of an input shaped like a picture; none for other tensors and latents."""
    if is_latent(spec.name):
        return ()
    match spec.shape:
        case (_, 1 | 3 | 4, height, width) if _are_sides(height, width):
            return (2, 3)
        case (_, str(channels), height, width) if is_channel_name(channels) and _are_sides(height, width):
            return (2, 3)
        case (_, height, width, 1 | 3 | 4) if _are_sides(height, width):
            return (1, 2)
    return ()


def _are_sides(height: Dim, width: Dim) -> bool:
    """Whether two axes may be height and width; two axes with the same name are an attention mask."""
    return not isinstance(height, str) or height != width


def is_channel_name(dim: Dim) -> bool:
    """Whether a free axis has transformers' name for channels."""
    return isinstance(dim, str) and dim.lower() in _CHANNEL_NAMES


def _check_names(signature: ModelSignature, dims: Mapping[str, int]) -> None:
    free = list(dict.fromkeys(_free_names(signature)))
    unused = sorted(name for name in dims if name not in free)
    if not unused:
        return
    near = get_close_matches(unused[0], free, 1)
    shown = dict.fromkeys(
        dim or f"{spec.name}:{axis}"
        for spec in signature.inputs
        for axis, dim in enumerate(spec.shape)
        if not isinstance(dim, int)
    )
    raise WebbuildError(
        "unused-dimension",
        f"{signature.file}: --dim {unused[0]} names no free dimension of an input"
        + (f"; the nearest name is {near[0]}" if near else "")
        + _fixed_size(signature, unused[0]),
        f"the free ones are: {', '.join(shown) or 'none'}",
        exit_code=USAGE,
    )


def _fixed_size(signature: ModelSignature, name: str) -> str:
    """Return the fixed size as text if `name` is the INPUT:AXIS of a fixed axis."""
    sizes = {f"{spec.name}:{axis}": dim for spec in signature.inputs for axis, dim in enumerate(spec.shape)}
    return f": it is {sizes[name]}, fixed by the export" if isinstance(sizes.get(name), int) else ""


def _free_names(signature: ModelSignature) -> Iterator[str]:
    """Yield all names of the free dimensions: the dimension's name, and INPUT:AXIS."""
    for spec in signature.inputs:
        for axis, dim in enumerate(spec.shape):
            if not isinstance(dim, int):
                yield from (name for name in (dim, f"{spec.name}:{axis}") if name is not None)


def takes_prompt(signature: ModelSignature) -> bool:
    """Whether the model is a text-prompted detector: pictures and the token ids of their prompts in, boxes out.

    OWL-ViT has a batch of texts for each picture, and an axis of another name.
    """
    boxes = any(spec.name in BOXES_NAMES or spec.shape[-1:] == (4,) for spec in signature.outputs)
    prompts = {spec.shape[0] for spec in signature.inputs if spec.name == "input_ids" and spec.shape}
    pictures = {spec.shape[0] for spec in signature.inputs if len(spec.shape) == 4}
    named = {dim for dim in prompts | pictures if isinstance(dim, str)}
    return boxes and bool(prompts) and bool(pictures) and len(named) < 2


def _max_prompt_tokens(signature: ModelSignature) -> int:
    """Return the maximum number of prompt tokens: from `config.json`, else Grounding DINO's."""
    known = signature.hub_files.config.get("max_text_len")
    return known if isinstance(known, int) and known > 0 else _DEFAULT_PROMPT_TOKENS
