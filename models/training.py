"""Train for a given processor time: the learning rate falls with it, and there is always a checkpoint.

Processor time instead of wall time, so that training on a busy computer takes longer instead of learning less.

`last.pt` in the folder has the weights, their running average and the optimizer's state; `--start` continues from it.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

Step = Callable[[int], torch.Tensor]
"""From a batch number, unique for each step, to its loss."""

SAVE_EVERY = 120.0
"""Seconds of wall time between checkpoints."""

WARM_UP = 30.0
"""Seconds of processor time in which the learning rate rises."""

AVERAGE = 0.998


def arguments(description: str | None) -> argparse.ArgumentParser:
    """Return a parser with the options of every recipe's training."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--out", type=Path, required=True, help="folder for the checkpoint and the log")
    parser.add_argument("--minutes", type=float, default=60, help="processor time of all threads together")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--start", type=Path, help="checkpoint to continue from")
    return parser


def fit(model: torch.nn.Module, step: Step, options: argparse.Namespace) -> Path:
    """Train with AdamW until the minutes are over.

    Args:
        model: in training mode, with the parameters that `step` uses.
        step: returns the loss on a batch.
        options: the parsed options of `arguments`.

    Returns:
        The last checkpoint.
    """
    torch.set_num_threads(options.threads)
    options.out.mkdir(parents=True, exist_ok=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=options.rate, weight_decay=1e-4)
    average = {name: value.detach().clone() for name, value in model.state_dict().items()}
    done, earlier = 0, 0.0
    if options.start:
        state = torch.load(options.start, weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        average, done, earlier = state["average"], state["steps"], state["minutes"]
    begin, saved = time.process_time(), time.time()
    running: float | None = None
    with (options.out / "train.log").open("a", encoding="utf-8") as log:
        while (spent := time.process_time() - begin) < options.minutes * 60:
            share = spent / (options.minutes * 60)
            rate = options.rate * min(1.0, (spent + 1) / WARM_UP) * (0.02 + 0.98 * (1 + math.cos(math.pi * share)) / 2)
            for group in optimizer.param_groups:
                group["lr"] = rate
            optimizer.zero_grad()
            loss = step(done)
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            done += 1
            _follow(average, model, min(AVERAGE, (1 + done) / (10 + done)))
            value = loss.item()
            running = value if running is None else 0.98 * running + 0.02 * value
            if done % 50 == 0:
                log.write(f"{done} steps, {earlier + spent / 60:.1f} min, rate {rate:.1e}, loss {running:.4f}\n")
                log.flush()
            if time.time() - saved > SAVE_EVERY:
                saved = time.time()
                _save(options.out, model, average, optimizer, done, earlier + spent / 60)
    return _save(options.out, model, average, optimizer, done, earlier + options.minutes)


def _follow(average: dict[str, Any], model: torch.nn.Module, decay: float) -> None:
    """Move the running average towards the weights; counters are copied."""
    with torch.no_grad():
        for name, value in model.state_dict().items():
            if value.is_floating_point():
                average[name].lerp_(value, 1 - decay)
            else:
                average[name].copy_(value)


def _save(
    out: Path,
    model: torch.nn.Module,
    average: dict[str, Any],
    optimizer: torch.optim.Optimizer,
    steps: int,
    minutes: float,
) -> Path:
    """Write the checkpoint atomically."""
    state = {
        "model": model.state_dict(), "average": average, "optimizer": optimizer.state_dict(),
        "steps": steps, "minutes": minutes,
    }  # fmt: skip
    torch.save(state, out / "writing.pt")
    (out / "writing.pt").replace(out / "last.pt")
    return out / "last.pt"


def averaged(checkpoint: Path) -> dict[str, Any]:
    """Return the averaged weights of a checkpoint, which are better than the last ones."""
    weights: dict[str, Any] = torch.load(checkpoint, weights_only=True)["average"]
    return weights
