"""Random weights with a realistic scale, so that outputs vary with the input as in a trained network."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn


def enliven(network: nn.Module, arguments: tuple[Any, ...]) -> nn.Module:
    """Draw new weights, and set the statistics of batch normalization from the example."""
    with torch.no_grad():
        for module in network.modules():
            _scale(module)
        for parameter in network.parameters():
            _spread(parameter)
        hooks = [
            module.register_forward_pre_hook(_measure)
            for module in network.modules()
            if isinstance(getattr(module, "running_mean", None), torch.Tensor) and hasattr(module, "running_var")
        ]
        if hooks:
            network.eval()(*arguments)
        for hook in hooks:
            hook.remove()
    return network.eval()


def _scale(module: nn.Module) -> None:
    """Scale weights to keep the activations' variance: weights of 0.02 make a small network's output constant."""
    weight = getattr(module, "weight", None)
    if not isinstance(weight, nn.Parameter) or not weight.is_floating_point():
        return
    if isinstance(module, nn.modules.batchnorm._BatchNorm) and weight.abs().mean() < 0.3 and weight.std() > 0:
        weight.uniform_(0.7, 1.3)  # transformers draws these like a convolution's, around 0
    elif isinstance(module, nn.Embedding):
        weight.normal_(0, 0.7)
    elif isinstance(module, nn.modules.conv._ConvTransposeNd):
        weight.normal_(0, (weight[:, 0].numel() / max(1, _prod(module.stride))) ** -0.5)
    elif weight.ndim > 1 and (isinstance(module, nn.Linear | nn.modules.conv._ConvNd) or "Conv1D" in str(type(module))):
        inputs = weight.shape[0] if "Conv1D" in str(type(module)) else weight[0].numel()
        weight.normal_(0, (1.6 / inputs) ** 0.5)


def _spread(parameter: nn.Parameter) -> None:
    """Randomize parameters that start constant: norms' scales and shifts, tokens, positions, layer scales."""
    if not parameter.is_floating_point() or parameter.numel() < 2 or parameter.std() > 0:
        return
    start = float(parameter.flatten()[0])
    if start == 0:
        parameter.normal_(0, 0.1 if parameter.ndim == 1 else 0.5)
    else:
        parameter.mul_(torch.empty_like(parameter).uniform_(0.7, 1.3) * (1 if abs(start) > 0.1 else 0.3 / abs(start)))


def _measure(module: nn.Module, arguments: tuple[Any, ...]) -> None:
    channels = arguments[0].transpose(0, 1).flatten(1)
    if channels.shape[1] > 1:
        module.running_mean.copy_(channels.mean(1))
        spread = channels.var(1)
        # few pixels may have a tiny variance by chance; dividing by it amplifies rounding errors from layer to layer
        module.running_var.copy_(spread.maximum(spread.mean()) + 0.01)
    module.running_var.mul_(torch.empty_like(module.running_var).uniform_(0.7, 1.4))


def _prod(values: tuple[int, ...]) -> int:
    return int(torch.tensor(values).prod())
