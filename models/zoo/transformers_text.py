"""Text networks of transformers: encoders, decoders with key/value caches, encoder-decoders."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import nn

from models.zoo.examples import Named, mask, tokens
from models.zoo.recipe import Base, Example
from models.zoo.weights import enliven

VOCABULARY = 120
LENGTH = 12
TEXT = {0: "batch_size", 1: "sequence_length"}
NARROW = {
    "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64,
    "vocab_size": VOCABULARY, "max_position_embeddings": 64, "attn_implementation": "eager",
}  # fmt: skip
ROTARY = NARROW | {"num_key_value_heads": 2, "head_dim": 8, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}


def named(network: nn.Module, inputs: dict[str, torch.Tensor], outputs: list[str], axes: dict[int, str],
          **fixed: Any) -> Example:  # fmt: skip
    """Return an example of keyword arguments; all inputs and outputs share the dynamic axes that they have."""
    wrapped = enliven(Named(network, list(inputs), outputs, **fixed), tuple(inputs.values()))
    with torch.no_grad():
        found = dict(zip(outputs, wrapped(*inputs.values()), strict=True))
    free = {
        name: {axis: called for axis, called in axes.items() if axis < value.ndim}
        for name, value in [*inputs.items(), *found.items()]
    }
    return Example(wrapped, inputs, outputs, free)


def encoder(name: str, options: dict[str, Any], output: str, head: str = "Model", types: bool = True) -> Example:
    """Return a text encoder with padding in its mask."""
    import transformers

    config = getattr(transformers, f"{name}Config")(**options)
    network = getattr(transformers, f"{name}{head}")(config)
    inputs = {"input_ids": tokens(VOCABULARY, LENGTH), "attention_mask": mask(LENGTH, 9)}
    if types:
        inputs["token_type_ids"] = (torch.arange(LENGTH) > 5).long()[None]
    return named(network, inputs, [output], TEXT)


class Cached(nn.Module):
    """A causal language model with its key/value cache as inputs and outputs."""

    def __init__(self, network: nn.Module, layers: int) -> None:
        super().__init__()
        self.network, self.layers = network, layers

    def forward(self, input_ids: Any, attention_mask: Any, position_ids: Any, *past: Any) -> tuple[Any, ...]:
        """Return the scores of the next tokens, and the keys and values of all tokens."""
        from transformers import DynamicCache

        cache = DynamicCache()
        for layer in range(self.layers):
            cache.update(past[2 * layer], past[2 * layer + 1], layer)
        found = self.network(
            input_ids=input_ids, attention_mask=attention_mask, position_ids=position_ids, past_key_values=cache,
            use_cache=True,
        )  # fmt: skip
        return found.logits, *(part for layer in cache.layers for part in (layer.keys, layer.values))


def decoder(name: str, options: dict[str, Any], heads: int, width: int, past: int = 5, new: int = 1) -> Example:
    """Return a language model that continues after `past` tokens, with Optimum's names."""
    import transformers

    config = getattr(transformers, f"{name}Config")(**options)
    layers = 2
    network = Cached(getattr(transformers, name + ("LMHeadModel" if name == "GPT2" else "ForCausalLM"))(config), layers)
    names = [f"{layer}.{part}" for layer in range(layers) for part in ("key", "value")]
    inputs = {
        "input_ids": tokens(VOCABULARY, new), "attention_mask": mask(past + new, past + new),
        "position_ids": torch.arange(past, past + new)[None],
    } | {f"past_key_values.{one}": torch.randn(1, heads, past, width) for one in names}  # fmt: skip
    outputs = ["logits", *(f"present.{one}" for one in names)]
    free = {
        "input_ids": TEXT, "position_ids": TEXT, "attention_mask": {0: "batch_size", 1: "total_sequence_length"},
        "logits": TEXT,
    }  # fmt: skip
    free |= {f"past_key_values.{one}": {0: "batch_size", 2: "past_sequence_length"} for one in names}
    free |= {f"present.{one}": {0: "batch_size", 2: "total_sequence_length"} for one in names}
    return Example(enliven(network, tuple(inputs.values())), inputs, outputs, free)


def first_pass(name: str, options: dict[str, Any], head: str = "ForCausalLM") -> Example:
    """Return a language model without a cache, over a whole prompt."""
    import transformers

    config = getattr(transformers, f"{name}Config")(**options)
    inputs = {"input_ids": tokens(VOCABULARY, LENGTH), "attention_mask": mask(LENGTH, LENGTH)}
    return named(getattr(transformers, name + head)(config), inputs, ["logits"], TEXT, use_cache=False)


def seq2seq(name: str, options: dict[str, Any], part: str) -> Example:
    """Return the encoder of an encoder-decoder, or its decoder."""
    import transformers

    config = getattr(transformers, f"{name}Config")(**options)
    if part == "encoder":
        network = getattr(transformers, f"{name}Model")(config).get_encoder()
        inputs = {"input_ids": tokens(VOCABULARY, LENGTH), "attention_mask": mask(LENGTH, 9)}
        return named(network, inputs, ["last_hidden_state"], TEXT)
    network = getattr(transformers, f"{name}ForConditionalGeneration")(config)
    inputs = {
        "input_ids": tokens(VOCABULARY, LENGTH), "attention_mask": mask(LENGTH, 9),
        "decoder_input_ids": tokens(VOCABULARY, 6),
    }  # fmt: skip
    example = named(network, inputs, ["logits"], TEXT, use_cache=False)
    example.free["decoder_input_ids"] = example.free["logits"] = {0: "batch_size", 1: "decoder_sequence_length"}
    return example


GPT2 = {"n_embd": 32, "n_layer": 2, "n_head": 4, "vocab_size": VOCABULARY, "n_positions": 64,
        "attn_implementation": "eager"}  # fmt: skip
T5 = {"d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 2, "num_heads": 4, "vocab_size": VOCABULARY,
      "decoder_start_token_id": 0}  # fmt: skip
BART = {"d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4,
        "decoder_attention_heads": 4, "encoder_ffn_dim": 64, "decoder_ffn_dim": 64, "vocab_size": VOCABULARY,
        "max_position_embeddings": 64, "attn_implementation": "eager"}  # fmt: skip
STATE = "last_hidden_state"
DISTIL = {"dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 64, "vocab_size": VOCABULARY,
          "max_position_embeddings": 64, "attn_implementation": "eager"}  # fmt: skip


def _encoder(exports: str, conversions: str, *arguments: Any, **more: Any) -> Base:
    return Base(partial(encoder, *arguments, **more), exports, conversions)


def _decoder(build: Callable[..., Example], exports: str, conversions: str, *arguments: Any) -> Base:
    return Base(partial(build, *arguments), exports, conversions)


BASES = {
    "bert": _encoder("ts14-free ts11 dynamo18-free", "slim ort-bert ort-bert-fp16 dynamic-int8 q4 qdq fp16-io ort-all",
                     "Bert", NARROW, STATE),
    "bert-sdpa": _encoder("ts17-free", "ort-all", "Bert", NARROW | {"attn_implementation": "sdpa"}, STATE),
    "bert-tokens": _encoder("ts13-free", "qoperator", "Bert", NARROW, "logits", "ForTokenClassification"),
    "distilbert": _encoder("ts12-free", "dynamic-uint8 external", "DistilBert", DISTIL, "logits",
                           "ForSequenceClassification", types=False),
    "roberta": _encoder("ts14-free", "ort-bert", "Roberta", NARROW | {"type_vocab_size": 2}, STATE, types=False),
    "albert": _encoder("ts14-free", "sim", "Albert", NARROW | {"embedding_size": 16}, STATE),
    "electra": _encoder("ts11-free", "ort-basic", "Electra", NARROW | {"embedding_size": 16}, "logits",
                        "ForPreTraining"),
    "mpnet": _encoder("ts14-free", "dynamic-int8", "MPNet", NARROW, STATE, types=False),
    "deberta-v2": _encoder(
        "ts15-free", "", "DebertaV2",
        NARROW | {"relative_attention": True, "pos_att_type": ["p2c", "c2p"], "position_buckets": 8,
                  "max_relative_positions": 16}, STATE,
    ),
    "modernbert": _encoder(
        "ts17-free dynamo18-free", "ort-fp16-io q8", "ModernBert",
        NARROW | {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
         "cls_token_id": 1, "sep_token_id": 2, "local_attention": 8}, STATE, types=False,
    ),
    "gpt2": _decoder(first_pass, "ts14-free dynamo18", "ort-gpt2 slim dynamic-uint8", "GPT2", GPT2, "LMHeadModel"),
    "gpt2-past": _decoder(decoder, "ts14-free", "ort-fp16 q4", "GPT2", GPT2, 4, 8),
    "llama-past": _decoder(decoder, "ts17-free dynamo18-free", "ort-fp16-io q4 q4+ort-fp16-io", "Llama", ROTARY, 2, 8),
    "qwen2-past": _decoder(decoder, "ts17-free", "q4-asymmetric", "Qwen2", ROTARY, 2, 8),
    "qwen3": _decoder(first_pass, "dynamo18-free", "", "Qwen3", ROTARY),
    "gemma": _decoder(first_pass, "ts17-free", "q8 ort-fp16", "Gemma", ROTARY),
    "phi": _decoder(first_pass, "ts17-free", "slim", "Phi", ROTARY),
    "mistral": _decoder(first_pass, "ts17", "ort-extended", "Mistral", ROTARY | {"sliding_window": 4}),
    "opt": _decoder(first_pass, "ts14-free", "", "OPT",
                    NARROW | {"ffn_dim": 64, "word_embed_proj_dim": 32}),
    "bloom": _decoder(first_pass, "ts14-free", "", "Bloom",
                      {"hidden_size": 32, "n_layer": 2, "n_head": 4, "vocab_size": VOCABULARY}),
    "t5-encoder": _decoder(seq2seq, "ts14-free", "ort-fp16-io dynamic-int8 ort-all", "T5", T5, "encoder"),
    "t5": _decoder(seq2seq, "ts14-free", "", "T5", T5, "whole"),
    "bart-encoder": _decoder(seq2seq, "ts14-free", "sim", "Bart", BART, "encoder"),
    "marian": _decoder(seq2seq, "ts14", "", "Bart", BART, "whole"),
}  # fmt: skip
