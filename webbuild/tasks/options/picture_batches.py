"""Batch sizes: parsed from `--batch`, and set on the free first axis of a model's picture inputs."""

from __future__ import annotations

from collections.abc import Mapping

from webbuild.errors import USAGE, WebbuildError
from webbuild.model.signature import ModelSignature
from webbuild.tasks.options.symbolic_dims import picture_sides

_MAX_BATCH = 256


def parse_batches(argument: str | None) -> tuple[int, ...]:
    """Parse `--batch`, such as `1,4`: comma-separated batch sizes, sorted; 1 is always included.

    Raises:
        WebbuildError: `invalid-batch`.
    """
    parts = [] if argument is None else [part.strip() for part in argument.split(",")]
    wrong = next(
        (part for part in parts if not (part.isascii() and part.isdigit() and 0 < int(part) <= _MAX_BATCH)), None
    )
    if wrong is not None or len(set(parts)) < len(parts):
        why = (
            "a number is given twice"
            if wrong is None
            else f"{wrong or 'nothing'} is not a number from 1 to {_MAX_BATCH}"
        )
        raise WebbuildError("invalid-batch", f"--batch {argument}: {why}", "write --batch 1,4", exit_code=USAGE)
    return tuple(sorted({1, *map(int, parts)}))


def with_batch(signature: ModelSignature, batch: int, dims: Mapping[str, int]) -> dict[str, int]:
    """Return `dims` with the batch size for the free first axis of each picture input; unchanged for a batch of 1.

    Raises:
        WebbuildError: `fixed-batch`; `conflicting-options` if `dims` has one of these axes already.
    """
    if batch == 1:
        return dict(dims)
    batched: dict[str, int] = {}
    for spec in signature.inputs:
        first = spec.shape[0] if spec.shape else None
        if not picture_sides(spec):
            raise no_batch(batch, f"{signature.file}: input '{spec.name}' {list(spec.shape)} is not a picture")
        if isinstance(first, int):
            raise no_batch(batch, f"{signature.file}: input '{spec.name}' takes {first}, fixed when it was exported")
        key = first or f"{spec.name}:0"
        if twice := next((name for name in (key, f"{spec.name}:0") if name in dims), None):
            raise WebbuildError(
                "conflicting-options",
                f"--batch {batch} and --dim {twice}={dims[twice]} both give the batch of input '{spec.name}'",
                "leave one of them out",
                exit_code=USAGE,
            )
        batched[key] = batch
    return {**dims, **batched}


def no_batch(batch: int, reason: str) -> WebbuildError:
    """Return the error for a model that does not take several pictures in one run."""
    return WebbuildError(
        "fixed-batch",
        f"--batch {batch}: {reason}",
        "leave --batch out, then run() takes pictures one by one; or export the model again with a free batch",
        exit_code=USAGE,
    )
