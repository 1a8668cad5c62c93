"""Networks with data-dependent indices: characters fed back, counted tokens, edges of a graph."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from models.zoo.examples import picture, plain, tokens
from models.zoo.recipe import Base


class AttentionOcr(nn.Module):
    """An attention OCR: for every character it attends to the line, with the previous character as input."""

    def __init__(self, letters: int = 10) -> None:
        super().__init__()
        self.letters = letters
        self.columns = nn.Conv2d(1, 16, (16, 4), (16, 4))
        self.step = nn.GRUCell(16 + letters, 24)
        self.look, self.out = nn.Linear(24, 16), nn.Linear(24, letters)

    def forward(self, line: Any) -> Any:
        """Return the scores of four characters, [N, 4, characters]."""
        columns = self.columns(line).squeeze(2).transpose(1, 2)
        state, letter, found = line.new_zeros(line.shape[0], 24), line.new_zeros(line.shape[0], self.letters), []
        for _ in range(4):
            place = (columns @ self.look(state)[:, :, None]).softmax(1)
            state = self.step(torch.cat([(place * columns).sum(1), letter], 1), state)
            found.append(self.out(state))
            letter = functional.one_hot(found[-1].argmax(1), self.letters).float()
        return torch.stack(found, 1)


class Counter(nn.Module):
    """A language model that also counts one token, which most sentences do not have."""

    def __init__(self, vocabulary: int = 40) -> None:
        super().__init__()
        self.embed, self.out = nn.Embedding(vocabulary, 16), nn.Linear(16, vocabulary)

    def forward(self, ids: Any) -> Any:
        """Return the scores of the next tokens [N, L, vocabulary], and the running count of one token [N, L]."""
        words = self.embed(ids)
        future = torch.triu(torch.ones(ids.shape[1], ids.shape[1], dtype=torch.bool), 1)
        places = (words @ words.transpose(1, 2) / 4).masked_fill(future, float("-inf")).softmax(-1)
        return self.out(places @ words), (ids == 5).long().cumsum(1)


class EdgeAttention(nn.Module):
    """A layer of a graph attention network: messages along the edges, summed at their target nodes."""

    def __init__(self) -> None:
        super().__init__()
        self.inner, self.start, self.end = nn.Linear(8, 16), nn.Linear(16, 1), nn.Linear(16, 1)

    def forward(self, nodes: Any, edges: Any) -> Any:
        """Features [N, 8] and edges [2, E] -> new node features [N, 16]."""
        found, count = self.inner(nodes), nodes.shape[0]
        strength = functional.leaky_relu(self.start(found)[edges[0]] + self.end(found)[edges[1]], 0.2).exp()
        total = torch.zeros(count, 1).scatter_add(0, edges[1][:, None], strength)
        ends = edges[1][:, None].expand(-1, 16)
        return torch.zeros(count, 16).scatter_add(0, ends, strength * found[edges[0]]) / (total + 1e-6)


BASES = {
    "attention-ocr": Base(partial(plain, AttentionOcr, {"line": lambda: picture((16, 64), channels=1)}, ["letters"],
                                  {}), "ts17 ts11 dynamo18"),
    "counter": Base(partial(plain, Counter, {"ids": lambda: tokens(40, 12)}, ["scores", "count"], {
        "ids": {0: "batch", 1: "length"}}), "ts14 ts17-free dynamo18", "q4 dynamic-int8"),
    "edge-attention": Base(partial(plain, EdgeAttention, {
        "nodes": lambda: torch.randn(20, 8), "edges": lambda: torch.randint(0, 20, (2, 50))}, ["features"], {}),
        "ts17"),
}  # fmt: skip
